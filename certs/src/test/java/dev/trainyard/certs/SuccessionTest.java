package dev.trainyard.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.certs.Succession.Change;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuccessionTest {
    private static final Instant NOW = Instant.parse("2026-11-20T09:42:01Z");
    private static final Lifetimes LIVES = Lifetimes.USUAL;

    private final Map<String, String> fresh =
            SharedAuthority.create(NOW, LIVES.authority()).data();

    @Test
    void whereThereIsNoneOneIsMade() {
        var write = write(null, NOW);

        assertThat(write.change()).isEqualTo(Change.CREATED);
        assertThat(write.content().signer().isValid(NOW)).isTrue();
        assertThat(write.content().signer().notAfter()).isEqualTo(NOW.plus(LIVES.authority()));
        assertThat(write.content().data()).containsOnlyKeys("ca.crt", "ca.key");
    }

    @Test
    void whatIsStoredIsReadAgain() {
        var read = SharedAuthority.read(fresh);

        assertThat(read.data()).isEqualTo(fresh);
    }

    @Test
    void aGoodOneIsLeftAloneForTwoThirdsOfItsLife() {
        for (int day = 0; day <= 243; day += 27) {
            var decision = decide(fresh, NOW.plus(Duration.ofDays(day)), Verifiers.READ_FOR_THEMSELVES);
            assertThat(decision.write()).as("day %d", day).isEmpty();
        }
    }

    @Test
    void itsSuccessorIsAnnouncedThenPromotedAndTheOldOneStaysTrustedUntilItIsOver() {
        var due = NOW.plus(Duration.ofDays(244));
        var announced = write(fresh, due);
        var old = SharedAuthority.read(fresh).signer().certificate();

        assertThat(announced.change()).isEqualTo(Change.ANNOUNCED);
        assertThat(announced.content().signer().certificate()).isEqualTo(old);
        assertThat(announced.content().trusted()).hasSize(2).contains(old);

        var both = announced.content().data();
        assertThat(decide(both, due.plus(Duration.ofMinutes(59)), Verifiers.READ_FOR_THEMSELVES)
                        .write())
                .isEmpty();

        var promoted = write(both, due.plus(Duration.ofMinutes(60)));
        assertThat(promoted.change()).isEqualTo(Change.PROMOTED);
        assertThat(promoted.content().signer().certificate()).isNotEqualTo(old);
        assertThat(promoted.content().trusted()).hasSize(2).contains(old);
        assertThat(promoted.content().data()).containsOnlyKeys("ca.crt", "ca.key");

        var after = promoted.content().data();
        assertThat(decide(after, NOW.plus(Duration.ofDays(364)), Verifiers.READ_FOR_THEMSELVES)
                        .write())
                .isEmpty();
        var tidied = write(after, NOW.plus(Duration.ofDays(365)));
        assertThat(tidied.change()).isEqualTo(Change.TIDIED);
        assertThat(tidied.content().trusted()).hasSize(1).doesNotContain(old);
    }

    @Test
    void theSuccessorDoesNotSignBeforeThoseWhoVerifyTrustItUnlessTheOldOneIsOver() {
        var both = write(fresh, NOW.plus(Duration.ofDays(244))).content();
        var later = NOW.plus(Duration.ofDays(300));

        assertThat(decide(both.data(), later, pem -> false).write()).isEmpty();
        assertThat(decide(both.data(), later, pem -> pem.equals(next(both).ownCertificatePem()))
                        .write())
                .isPresent();

        var over = decide(both.data(), NOW.plus(Duration.ofDays(365)), pem -> false);
        assertThat(over.usable()).isNull();
        assertThat(over.write()).hasValueSatisfying(write -> {
            assertThat(write.change()).isEqualTo(Change.PROMOTED);
            assertThat(write.content().trusted()).hasSize(1);
        });
    }

    @Test
    void oneThatExpiredIsReplaced() {
        var write = write(fresh, NOW.plus(Duration.ofDays(365)));

        assertThat(write.change()).isEqualTo(Change.REPLACED);
        assertThat(write.reason()).contains("expired at 2027-11-20T09:42:01Z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"wiped", "no key", "no certificate", "truncated", "key of another", "not a CA", "not PEM"})
    void whatCannotBeUsedIsReplacedAndTheReasonIsSaid(String damage) {
        var write = write(damaged(damage), NOW);

        assertThat(write.change()).isEqualTo(Change.REPLACED);
        assertThat(write.reason()).containsAnyOf("ca.crt", "ca.key").doesNotContain("PRIVATE KEY-----\nM");
    }

    @Test
    void aSuccessorWhoseKeyIsDamagedIsAnnouncedAnewWhenItIsTime() {
        var due = NOW.plus(Duration.ofDays(244));
        var both = new HashMap<>(write(fresh, due).content().data());
        both.put("next.key", "garbage");

        var decision = decide(both, due.plusSeconds(60), Verifiers.READ_FOR_THEMSELVES);

        assertThat(decision.usable()).isNotNull();
        assertThat(decision.write().orElseThrow().change()).isEqualTo(Change.ANNOUNCED);
    }

    @Test
    void aCaOfTheFutureIsNotReplacedSinceTheClockMayBeWrong() {
        assertThatThrownBy(() -> decide(fresh, NOW.minus(Duration.ofDays(30)), Verifiers.READ_FOR_THEMSELVES))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("not valid before 2026-11-20T09:37:01Z")
                .hasMessageContaining("clocks");
    }

    @Test
    void aCaThatSomebodyElseMadeIsTakenAsItIs() {
        var foreign = CertificateAuthority.create(
                        "somebody else's", Duration.ofDays(3650), Clock.fixed(NOW, ZoneOffset.UTC))
                .pem();
        var data = Map.of("ca.crt", foreign.certificatePem(), "ca.key", foreign.keyPem(), "password", "x");

        assertThat(decide(data, NOW.plus(Duration.ofDays(2000)), Verifiers.READ_FOR_THEMSELVES)
                        .write())
                .isEmpty();
    }

    private Map<String, String> damaged(String damage) {
        var other = SharedAuthority.create(NOW, LIVES.authority()).data();
        var data = new HashMap<>(fresh);
        switch (damage) {
            case "wiped" -> data.clear();
            case "no key" -> data.remove("ca.key");
            case "no certificate" -> data.remove("ca.crt");
            case "truncated" -> data.computeIfPresent("ca.crt", (name, pem) -> pem.substring(0, pem.length() / 2));
            case "key of another" -> data.put("ca.key", String.valueOf(other.get("ca.key")));
            case "not a CA" -> {
                var leaf = SharedAuthority.read(fresh).signer().issue(LeafRequest.forServer("leaf"), NOW);
                data.put("ca.crt", leaf.certificatePem());
                data.put("ca.key", leaf.keyPem());
            }
            default -> data.replaceAll((name, pem) -> "hello");
        }
        return data;
    }

    private static CertificateAuthority next(SharedAuthority authority) {
        var next = authority.next();
        assertThat(next).isNotNull();
        return next == null ? authority.signer() : next;
    }

    private static Succession.Write write(@Nullable Map<String, String> stored, Instant now) {
        return decide(stored, now, Verifiers.READ_FOR_THEMSELVES).write().orElseThrow();
    }

    private static Succession.Decision decide(@Nullable Map<String, String> stored, Instant now, Verifiers verifiers) {
        return Succession.decide(stored, now, verifiers, LIVES);
    }

    @Test
    void theOverlapMustEndBeforeTheOldCaDoes() {
        assertThatThrownBy(() -> new Lifetimes(
                        Duration.ofHours(3), Duration.ofHours(1), Duration.ofHours(1), Duration.ofSeconds(1)))
                .hasMessageContaining("overlap PT1H must be shorter than a third");
        assertThat(List.of(LIVES.authority(), LIVES.leaf())).containsExactly(Duration.ofDays(365), Duration.ofDays(7));
    }
}
