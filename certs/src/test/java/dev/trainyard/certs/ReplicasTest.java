package dev.trainyard.certs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests replicas that share a CA for an hour of virtual time. In that time, CAs succeed each other, reads fail, processes restart, and the
 * stored data are tampered with. All replicas must trust each other at all times, and the number of writes must stay small.
 */
class ReplicasTest {
    private static final Instant START = Instant.parse("2026-11-20T09:42:01Z");
    private static final Duration STEP = Duration.ofSeconds(10);
    private static final int STEPS = 360; // an hour
    private static final Lifetimes LIVES = new Lifetimes(
            Duration.ofMinutes(20), Duration.ofMinutes(10), Duration.ofMinutes(5), Duration.ofSeconds(35));
    private static final int REPLICAS = 3;
    /** The number of steps after which the effects of tampering are over. */
    private static final int QUIET = 8;

    private final MemoryStore store = new MemoryStore();
    private final List<SharedCredentials> replicas = new ArrayList<>();
    private final TlsMaterial[] seen = new TlsMaterial[REPLICAS];
    private final int[] missed = new int[REPLICAS];
    /** The bundle that an API server verifies with: the merged bundles of all replicas, as the webhook writes them. */
    private final Set<String> bundle = new LinkedHashSet<>();

    private Instant now = START;
    private int tampered;
    private int lastTampered = -QUIET;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void alwaysTrustEachOtherAndNeverFight(long seed) {
        var random = new Random(seed);
        for (int i = 0; i < REPLICAS; i++) {
            replicas.add(open());
        }
        for (int step = 0; step < STEPS; step++, now = now.plus(STEP)) {
            if (step - lastTampered > QUIET && random.nextInt(40) == 0) {
                tamper(random);
                lastTampered = step;
            }
            var order = new ArrayList<>(List.of(0, 1, 2));
            Collections.shuffle(order, random);
            for (int i : order) {
                look(i, random, step);
                everybodyIsTrusted(step, i);
            }
        }
        int successions = (int) (STEP.multipliedBy(STEPS).toMinutes()
                        * 3
                        / 2
                        / LIVES.authority().toMinutes())
                + 1;
        assertThat(store.writes)
                .as("writes, with %d times tampered and up to %d successions", tampered, successions)
                .isLessThanOrEqualTo(1 + tampered * 2 + successions * 3);
        assertThat(tampered).isGreaterThan(2);
    }

    private SharedCredentials open() {
        return SharedCredentials.open(
                store,
                LeafRequest.forServerAndClient("replica").withDnsNames("replica.svc"),
                LIVES,
                bundle::contains,
                change -> {},
                now);
    }

    private void look(int i, Random random, int step) {
        if (random.nextInt(4) == 0 && missed[i] < 2) {
            missed[i]++;
            return;
        }
        missed[i] = 0;
        if (step - lastTampered > QUIET && random.nextInt(50) == 0) {
            replicas.set(i, open());
        }
        replicas.get(i).look(now);
        Pem.certificates(replicas.get(i).caPem(), "ca").forEach(ca -> bundle.add(Pem.ofCertificates(List.of(ca))));
        bundle.removeIf(
                pem -> SharedAuthority.isOver(Pem.certificates(pem, "ca").get(0), now));
    }

    /**
     * Asserts that all replicas trust each other. To save time, this is checked only if the given replica has changed, and in every sixth
     * step, because certificates expire.
     */
    private void everybodyIsTrusted(int step, int looked) {
        boolean changed = !replicas.get(looked).current().equals(seen[looked]);
        seen[looked] = replicas.get(looked).current();
        if (!changed && step % 6 != 0) {
            return;
        }
        for (int shows = 0; shows < REPLICAS; shows++) {
            var chain = Pem.certificates(replicas.get(shows).current().certificatePem(), "leaf");
            for (int verifies = 0; verifies < REPLICAS; verifies++) {
                var trusted = Pem.certificates(replicas.get(verifies).caPem(), "ca");
                assertThat(Chains.whyUntrusted(chain, trusted, now))
                        .as("step %d: %d shows, %d verifies", step, shows, verifies)
                        .isNull();
            }
        }
    }

    private void tamper(Random random) {
        tampered++;
        var data = new HashMap<>(store.data());
        switch (random.nextInt(8)) {
            case 0 -> store.set(null);
            case 1 -> store.set(Map.of());
            case 2 -> {
                data.computeIfPresent("ca.crt", (name, pem) -> pem.substring(0, random.nextInt(pem.length())));
                store.set(data);
            }
            case 3 -> {
                data.remove("ca.key");
                store.set(data);
            }
            case 4 -> {
                data.put("next.key", "garbage");
                store.set(data);
            }
            case 5 -> store.set(foreign(now, Duration.ofHours(10)));
            case 6 -> store.set(foreign(now.minus(Duration.ofDays(10)), Duration.ofDays(9)));
            default -> store.set(Map.of("ca.crt", "hello", "ca.key", "world"));
        }
    }

    private static Map<String, String> foreign(Instant from, Duration life) {
        var pem = CertificateAuthority.create("foreign", life, Clock.fixed(from, ZoneOffset.UTC))
                .pem();
        return Map.of("ca.crt", pem.certificatePem(), "ca.key", pem.keyPem());
    }
}
