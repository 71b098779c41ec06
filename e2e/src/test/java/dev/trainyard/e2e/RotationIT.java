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
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two replicas of the webhook that share a CA, with the rights that the manifests give, while a real API server sends each pod that is
 * created to both of them, and fails the creation when one cannot be verified.
 */
@WithControlPlane
class RotationIT {

    private static final Logger log = LoggerFactory.getLogger(RotationIT.class);

    /** A CA follows another after 10 s. Not shorter: a machine that is busy may stand still for seconds, and a certificate that ends then is over. */
    private static final TlsSource.Timing TIMING = new TlsSource.Timing(
            new Lifetimes(
                    Duration.ofSeconds(15), Duration.ofSeconds(12), Duration.ofSeconds(1), Duration.ofMillis(900)),
            Duration.ofMillis(150));

    /** One CA that follows another takes 10 s: {@code -Dtrainyard.successions=20} for 20 of them. */
    private static final int SUCCESSIONS = Integer.getInteger("trainyard.successions", 3);

    private static final int TAMPERINGS = 17;

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
            // Each replica adds what it shows, and drops what is over.
            assertThat(bundleWrites.seen()).isLessThanOrEqualTo(4 * signers.size());
            assertThat(stream.failures()).isEmpty();
            assertThat(callers.failures()).isEmpty();
            assertThat(signers).hasSizeGreaterThan(TAMPERINGS + SUCCESSIONS);
            assertThat(stream.created()).isGreaterThan(500);
        }
        var changes = replicas.changes();
        log.info("changes by both replicas: {}", changes);
        // Each succession is announced and promoted once, whoever does it; each tampering is repaired once.
        assertThat(changes.values().stream().mapToDouble(Double::doubleValue).sum())
                .as("%s", changes)
                .isLessThanOrEqualTo(1 + TAMPERINGS + 4.0 * (SUCCESSIONS + 6));
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

    /** What docs/decisions/0034 warns of: our share of an entry stands when its owner applies the list without it. */
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

    /** Waits for another CA to sign what both replicas show. */
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
                replicas.store(texts(
                        CertificateAuthority.create("somebody's-" + time, Duration.ofSeconds(60), Clock.systemUTC())
                                .pem()));
            case 4 ->
                replicas.store(texts(CertificateAuthority.create(
                                "over",
                                Duration.ofDays(1),
                                Clock.fixed(Instant.now().minus(Duration.ofDays(2)), ZoneOffset.UTC))
                        .pem()));
            case 5 -> {
                data.remove("ca.key");
                replicas.store(data);
            }
            default -> replicas.store(Map.of("ca.crt", "hello", "ca.key", "world"));
        }
    }

    private static Map<String, String> texts(PemKeyPair pem) {
        return Map.of("ca.crt", pem.certificatePem(), "ca.key", pem.keyPem());
    }
}
