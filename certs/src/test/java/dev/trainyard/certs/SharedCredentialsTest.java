package dev.trainyard.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.certs.Succession.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharedCredentialsTest {
    private static final Instant NOW = Instant.parse("2026-11-20T09:42:01Z");
    private static final LeafRequest WANTED = LeafRequest.forServer("webhook").withDnsNames("webhook.svc");
    private static final Lifetimes LIVES = Lifetimes.USUAL;

    private final MemoryStore store = new MemoryStore();
    private final List<Change> changes = new ArrayList<>();

    @Test
    void theFirstMakesTheCaAndTheSecondTakesItUpEachWithALeafOfItsOwn() {
        var one = open(NOW);
        var two = open(NOW);

        assertThat(store.writes).isOne();
        assertThat(changes).containsExactly(Change.CREATED);
        assertThat(one.caPem()).isEqualTo(two.caPem());
        assertThat(one.current().certificatePem()).isNotEqualTo(two.current().certificatePem());
        assertThat(one.current().notAfter()).isEqualTo(NOW.plus(LIVES.leaf()));
    }

    @Test
    void twoThatFindNothingAtTheSameMomentAgree() {
        var racing = new MemoryStore() {
            private boolean raced;

            @Override
            public boolean write(Map<String, String> texts, String expected) {
                if (!raced) {
                    raced = true;
                    open(this, Verifiers.READ_FOR_THEMSELVES, NOW);
                }
                return super.write(texts, expected);
            }
        };

        var late = open(racing, Verifiers.READ_FOR_THEMSELVES, NOW);

        assertThat(racing.writes).isOne();
        assertThat(late.caPem()).isEqualTo(racing.data().get("ca.crt"));
    }

    @Test
    void theLeafIsRenewedAfterTwoThirdsOfItsLifeAlsoWithoutTheApiServer() {
        var credentials = open(NOW);
        var before = credentials.current();
        store.readable = false;

        assertThat(credentials.refresh(NOW.plus(Duration.ofDays(4)))).isFalse();
        assertThat(credentials.current()).isSameAs(before);
        assertThat(credentials.refresh(NOW.plus(Duration.ofDays(5)))).isTrue();
        assertThat(credentials.current().notAfter()).isEqualTo(NOW.plus(Duration.ofDays(12)));
        assertThat(credentials.caPem()).isEqualTo(before.caPem());
    }

    @Test
    void aMachineThatWasSuspendedForLongHasANewLeafAtItsFirstLook() {
        var credentials = open(NOW);

        assertThat(credentials.refresh(NOW.plus(Duration.ofDays(100)))).isTrue();
        assertThat(credentials.current().notAfter()).isEqualTo(NOW.plus(Duration.ofDays(107)));
    }

    @Test
    void aClockThatWasSetBackGetsALeafThatIsValidThen() {
        var credentials = open(NOW);
        credentials.refresh(NOW.plus(Duration.ofDays(100)));

        var back = NOW.plus(Duration.ofHours(1));
        assertThat(credentials.refresh(back)).isTrue();

        assertThat(leaf(credentials).getNotBefore().toInstant()).isBefore(back);
        assertThat(whyUntrusted(credentials, credentials, back)).isNull();
    }

    @Test
    void whatCannotBeReadChangesNothing() {
        var credentials = open(NOW);
        var before = credentials.current();
        store.readable = false;

        assertThatThrownBy(() -> credentials.look(NOW.plusSeconds(10))).hasMessageContaining("cannot be read");
        assertThat(credentials.current()).isSameAs(before);
    }

    @Test
    void whatShouldBeReplacedAndCannotBeWrittenChangesNothing() {
        var credentials = open(NOW);
        var before = credentials.current();
        store.set(Map.of());
        store.writable = false;

        assertThatThrownBy(() -> credentials.look(NOW.plusSeconds(10))).hasMessageContaining("cannot be written");
        assertThat(credentials.current()).isSameAs(before);
        assertThatThrownBy(() -> open(NOW)).isInstanceOf(TlsException.class);
    }

    @Test
    void aSuccessorThatCannotBeAnnouncedKeepsNothingElseFromWorking() {
        var credentials = open(NOW);
        store.writable = false;
        var late = NOW.plus(Duration.ofDays(300));

        assertThatThrownBy(() -> credentials.look(late)).hasMessageContaining("cannot be written");
        assertThat(credentials.current().notAfter()).isEqualTo(late.plus(LIVES.leaf()));
    }

    @Test
    void aReplacedCaIsTrustedAtOnceAndSignsWhenTheOthersHaveHadTheTimeToHearOfIt() {
        var one = open(NOW);
        var two = open(NOW);
        var old = one.current();
        store.set(null);

        assertThat(one.look(NOW.plusSeconds(10))).isTrue();

        assertThat(changes).containsExactly(Change.CREATED, Change.CREATED);
        assertThat(one.current().certificatePem()).isEqualTo(old.certificatePem());
        assertThat(one.caPem())
                .contains(String.valueOf(store.data().get("ca.crt")))
                .contains(old.caPem());
        two.look(NOW.plusSeconds(20));
        one.look(NOW.plusSeconds(40));
        assertThat(one.current().certificatePem()).isNotEqualTo(old.certificatePem());
        assertThat(whyUntrusted(one, two, NOW.plusSeconds(40))).isNull();
        assertThat(whyUntrusted(two, one, NOW.plusSeconds(40))).isNull();

        one.look(NOW.plusSeconds(10).plus(LIVES.overlap()));
        assertThat(one.caPem()).isEqualTo(store.data().get("ca.crt"));
    }

    @Test
    void aReplacedCaDoesNotSignWhileThoseWhoVerifyDoNotTrustIt() {
        var trusted = new boolean[] {true};
        var credentials = open(store, pem -> trusted[0], NOW);
        var old = credentials.current().certificatePem();
        trusted[0] = false;
        store.set(null);
        credentials.look(NOW.plusSeconds(10));

        credentials.look(NOW.plus(Duration.ofMinutes(10)));
        assertThat(credentials.current().certificatePem()).isEqualTo(old);

        trusted[0] = true;
        credentials.look(NOW.plus(Duration.ofMinutes(11)));
        assertThat(credentials.current().certificatePem()).isNotEqualTo(old);
    }

    @Test
    void whatElseIsStoredThereIsLeftAlone() {
        store.set(Map.of("notes", "of somebody"));

        open(NOW);

        assertThat(store.data()).containsEntry("notes", "of somebody").containsKeys("ca.crt", "ca.key");
        assertThat(changes).containsExactly(Change.REPLACED);
    }

    private SharedCredentials open(Instant now) {
        return open(store, Verifiers.READ_FOR_THEMSELVES, now);
    }

    private SharedCredentials open(MemoryStore where, Verifiers verifiers, Instant now) {
        return SharedCredentials.open(where, WANTED, LIVES, verifiers, changes::add, now);
    }

    private static java.security.cert.X509Certificate leaf(Credentials credentials) {
        return Pem.certificates(credentials.current().certificatePem(), "leaf").get(0);
    }

    private static @org.jspecify.annotations.Nullable String whyUntrusted(
            Credentials who, Credentials by, Instant now) {
        return Chains.whyUntrusted(
                Pem.certificates(who.current().certificatePem(), "leaf"), Pem.certificates(by.caPem(), "ca"), now);
    }
}
