package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.Lifetimes;
import dev.trainyard.certs.PemKeyPair;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.authority.TlsSource;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two replicas of the webhook that share a CA, with the rights in the manifests. A real API server sends each created pod to both of them,
 * and fails the creation if one cannot be verified.
 */
@WithControlPlane
@Tag("disruptive")
@ResourceLock(WithControlPlane.CLUSTER)
class RotationIT {

    private static final Logger log = LoggerFactory.getLogger(RotationIT.class);

    /**
     * No certificate expires during the test, even on a slow machine. The API server has two seconds to receive a CA. A
     * succession is the replacement of a CA. To start one, the test stores a CA that is past two thirds of its lifetime.
     */
    private static final TlsSource.Timing TIMING = new TlsSource.Timing(
            new Lifetimes(Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofSeconds(5), Duration.ofSeconds(2)),
            Duration.ofMillis(150));

    private static final Duration LIFE = Duration.ofDays(1);

    /** Each succession takes about ten seconds. {@code -Dtrainyard.successions=20} runs more of them than usual. */
    private static final int SUCCESSIONS = Integer.getInteger("trainyard.successions", 3);

    /** Two tamperings of each kind. */
    private static final int TAMPERINGS = 14;

    private WebhookReplicas replicas;
    private KubernetesClient administrator;

    @BeforeEach
    void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        administrator = client;
        replicas = WebhookReplicas.start(controlPlane, client, TIMING);
    }

    @AfterEach
    void stop() {
        if (replicas != null) {
            replicas.close();
        }
    }

    @Test
    void noAdmissionFailsWhileCasAndCertificatesAreReplacedTwentyTimes(KubernetesClient client, Namespace namespace)
            throws Exception {
        var signers = new HashSet<String>();
        signers.add(replicas.signer().orElseThrow());
        replicas.awaitServed(signers.iterator().next());
        var started = Instant.now();
        try (var stream = PodStream.start(client, namespace.getMetadata().getName(), 50);
                var callers = new NewCallers(replicas::bundle, replicas.ports());
                var secretWrites = WebhookReplicas.count(replicas.secret());
                var bundleWrites = WebhookReplicas.count(replicas.registration())) {
            for (int time = 0; time < TAMPERINGS; time++) {
                tamper(time);
                log.info("tampered time={} kind={}", time, time % 7);
                followed(signers);
            }
            for (int time = 0; time < SUCCESSIONS; time++) {
                var name = "old-" + time;
                var old =
                        authority(name, Instant.now().minus(LIFE.multipliedBy(5).dividedBy(6)));
                signers.add(name);
                replicas.store(texts(old.pem()));
                replicas.awaitServed(name);
                followed(signers);
            }
            stream.stop();
            callers.stop();
            log.info(
                    "rotated signers={} pods={} perSecond={} handshakes={} writesOfSecret={} writesOfBundle={} took={}",
                    signers.size(),
                    stream.created(),
                    stream.created()
                            / Math.max(
                                    1, Duration.between(started, Instant.now()).toSeconds()),
                    callers.shaken(),
                    secretWrites.seen(),
                    bundleWrites.seen(),
                    Duration.between(started, Instant.now()));
            // For each CA, each replica writes at most twice: to add the CA of its certificate, and to remove expired
            // CAs.
            assertThat(bundleWrites.seen()).isLessThanOrEqualTo(4 * signers.size());
            assertThat(stream.failures()).isEmpty();
            assertThat(callers.failures()).isEmpty();
            assertThat(signers).hasSize(1 + TAMPERINGS + 2 * SUCCESSIONS);
            assertThat(stream.created()).isGreaterThan(500);
        }
        var changes = replicas.changes();
        log.info("changes by both replicas: {}", changes);
        // Only one of the two replicas makes each change. A valid CA that the test stores is not changed.
        assertThat(changes)
                .isEqualTo(Map.of(
                        "created",
                        1.0 + TAMPERINGS / 7,
                        "replaced",
                        5.0 * TAMPERINGS / 7,
                        "announced",
                        1.0 * SUCCESSIONS,
                        "promoted",
                        1.0 * SUCCESSIONS));
    }

    @Test
    void theBundleIsPutBackAtOnceAndIsAllThatTheWebhookOwns(KubernetesClient client) {
        replicas.registration().edit(configuration -> {
            configuration
                    .getWebhooks()
                    .forEach(webhook -> webhook.getClientConfig().setCaBundle(""));
            return configuration;
        });
        TrainingGround.awaitTrue("the bundle is back", () -> !replicas.bundle().isEmpty());

        var owned = replicas.registration().get().getMetadata().getManagedFields().stream()
                .filter(entry -> "trainyard-webhook".equals(entry.getManager()))
                .toList();
        assertThat(owned).hasSize(1);
        assertThat(owned.get(0).getOperation()).isEqualTo("Apply");
        var fields = client.getKubernetesSerialization()
                .asJson(owned.get(0).getFieldsV1())
                .replaceAll("\\s", "");
        assertThat(fields)
                .contains("f:caBundle")
                .doesNotContain("f:url", "f:rules", "f:failurePolicy", "f:sideEffects", "f:namespaceSelector");
    }

    @Test
    void anEntryThatWasRemovedIsNotPutBack(KubernetesClient client) {
        replicas.registration().edit(configuration -> {
            configuration.getWebhooks().remove(1);
            return configuration;
        });
        replicas.registration().edit(configuration -> {
            configuration.getWebhooks().get(0).getClientConfig().setCaBundle(null);
            return configuration;
        });

        TrainingGround.awaitTrue("the bundle is back", () -> !replicas.bundle().isEmpty());
        assertThat(replicas.registration().get().getWebhooks()).hasSize(1);
    }

    /** Shows the risk in docs/decisions/0034: our fields of an entry stay if the owner applies the list without that entry. */
    @Test
    void anEntryIsNotDroppedByApplyingTheOthersOnTheServer() {
        var entries = replicas.registration().get();
        entries.getMetadata().setManagedFields(null);
        entries.getMetadata().setResourceVersion(null);
        entries.getMetadata().setUid(null);
        entries.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(null));
        replicas.registration().delete();
        applyAsOwner(entries);
        TrainingGround.awaitTrue("the bundle is there", () -> !replicas.bundle().isEmpty());

        entries.getWebhooks().remove(1);

        assertThatThrownBy(() -> applyAsOwner(entries)).hasMessageContaining("Required value");
    }

    private void applyAsOwner(MutatingWebhookConfiguration configuration) {
        administrator
                .resource(configuration)
                .fieldManager("owner")
                .forceConflicts()
                .serverSideApply();
    }

    /** Waits until a new CA has signed the certificates of both replicas. */
    private void followed(Set<String> signers) {
        var signer = TrainingGround.await(
                "another CA signs", () -> replicas.signer().filter(found -> !signers.contains(found)));
        signers.add(signer);
        replicas.awaitServed(signer);
    }

    private void tamper(int time) {
        var data = new HashMap<>(replicas.stored());
        switch (time % 7) {
            case 0 -> replicas.secret().delete();
            case 1 -> replicas.store(Map.of());
            case 2 -> {
                data.computeIfPresent("ca.crt", (name, pem) -> pem.substring(0, pem.length() / 2));
                replicas.store(data);
            }
            case 3 ->
                replicas.store(
                        texts(authority("somebody's-" + time, Instant.now()).pem()));
            case 4 ->
                replicas.store(texts(authority("over", Instant.now().minus(LIFE.multipliedBy(2)))
                        .pem()));
            case 5 -> {
                data.remove("ca.key");
                replicas.store(data);
            }
            default -> replicas.store(Map.of("ca.crt", "hello", "ca.key", "world"));
        }
    }

    private static CertificateAuthority authority(String name, Instant made) {
        return CertificateAuthority.create(name, LIFE, Clock.fixed(made, ZoneOffset.UTC));
    }

    private static Map<String, String> texts(PemKeyPair pem) {
        return Map.of("ca.crt", pem.certificatePem(), "ca.key", pem.keyPem());
    }
}
