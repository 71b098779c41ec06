package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.Lifetimes;
import dev.trainyard.certs.PemKeyPair;
import dev.trainyard.certs.SharedAuthority;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.webhook.WebhookComponent;
import dev.trainyard.webhook.WebhookOptions;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
    private static final String SECRET = "trainyard-webhook-ca";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A CA follows another after 10 s. Not shorter: a machine that is busy may stand still for seconds, and a certificate that ends then is over. */
    private static final TlsSource.Timing TIMING = new TlsSource.Timing(
            new Lifetimes(
                    Duration.ofSeconds(15), Duration.ofSeconds(12), Duration.ofSeconds(1), Duration.ofMillis(900)),
            Duration.ofMillis(150));

    private static final int SUCCESSIONS = 3;
    private static final int TAMPERINGS = 17;

    private final List<WebhookComponent> replicas = new ArrayList<>();
    private KubernetesClient administrator;

    @BeforeEach
    void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        administrator = client;
        RegisteredWebhook.install(client);
        secret().delete();
        var rights = controlPlane.kubeconfigFor(
                "system:serviceaccount:trainyard-system:trainyard-webhook", List.of("system:serviceaccounts"));
        var options = WebhookOptions.onLoopback(Path.of("unused"))
                .withTlsFrom(new TlsSource.InSecret(SECRET, TIMING))
                .withKubeconfig(rights)
                .withWebhookConfiguration("trainyard");
        for (int i = 0; i < 2; i++) {
            replicas.add(WebhookComponent.start(options, Clock.systemUTC()));
        }
        register();
        for (var replica : replicas) {
            assertThat(replica.awaitReady(PATIENCE))
                    .as("%s", replica.whyNotReady())
                    .isTrue();
        }
    }

    @AfterEach
    void stop() {
        registration().delete();
        replicas.forEach(WebhookComponent::close);
        secret().delete();
    }

    @Test
    void noAdmissionFailsWhileCasAndCertificatesAreReplacedTwentyTimes(KubernetesClient client, Namespace namespace)
            throws Exception {
        var signers = new HashSet<String>();
        signers.add(signer().orElseThrow());
        awaitServed(signers.iterator().next());
        var started = Instant.now();
        try (var stream = PodStream.start(client, namespace.getMetadata().getName(), 50);
                var callers = new NewCallers(
                        this::bundle,
                        replicas.stream().map(WebhookComponent::port).toList())) {
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
                    "rotated signers={} pods={} perSecond={} handshakes={} took={}",
                    signers.size(),
                    stream.created(),
                    stream.created()
                            / Math.max(
                                    1, Duration.between(started, Instant.now()).toSeconds()),
                    callers.shaken(),
                    Duration.between(started, Instant.now()));
            assertThat(stream.failures()).isEmpty();
            assertThat(callers.failures()).isEmpty();
            assertThat(signers).hasSizeGreaterThan(TAMPERINGS + SUCCESSIONS);
            assertThat(stream.created()).isGreaterThan(500);
        }
        var changes = changes();
        log.info("changes by both replicas: {}", changes);
        // Each succession is announced and promoted once, whoever does it; each tampering is repaired once.
        assertThat(changes.values().stream().mapToDouble(Double::doubleValue).sum())
                .as("%s", changes)
                .isLessThanOrEqualTo(1 + TAMPERINGS + 4.0 * (SUCCESSIONS + 6));
    }

    @Test
    void theBundleIsPutBackAtOnceAndIsAllThatTheWebhookOwns(KubernetesClient client) {
        registration().edit(configuration -> {
            configuration
                    .getWebhooks()
                    .forEach(webhook -> webhook.getClientConfig().setCaBundle(""));
            return configuration;
        });
        TrainingGround.awaitTrue("the bundle is back", () -> !bundle().isEmpty());

        var owned = registration().get().getMetadata().getManagedFields().stream()
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
        registration().edit(configuration -> {
            configuration.getWebhooks().remove(1);
            return configuration;
        });
        registration().edit(configuration -> {
            configuration.getWebhooks().get(0).getClientConfig().setCaBundle(null);
            return configuration;
        });

        TrainingGround.awaitTrue("the bundle is back", () -> !bundle().isEmpty());
        assertThat(registration().get().getWebhooks()).hasSize(1);
    }

    /** What docs/decisions/0034 warns of: our share of an entry stands when its owner applies the list without it. */
    @Test
    void anEntryIsNotDroppedByApplyingTheOthersOnTheServer() {
        var entries = registration().get();
        entries.getMetadata().setManagedFields(null);
        entries.getMetadata().setResourceVersion(null);
        entries.getMetadata().setUid(null);
        entries.getWebhooks().forEach(webhook -> webhook.getClientConfig().setCaBundle(null));
        registration().delete();
        applyAsOwner(entries);
        TrainingGround.awaitTrue("the bundle is there", () -> !bundle().isEmpty());

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
        var signer = TrainingGround.await("another CA signs", () -> signer().filter(found -> !signers.contains(found)));
        signers.add(signer);
        awaitServed(signer);
    }

    private void awaitServed(String signer) {
        TrainingGround.awaitTrue(
                "both replicas show certificates of " + signer + " or of one that followed it",
                () -> replicas.stream().allMatch(replica -> {
                    var issuer = NewCallers.issuer(replica.port(), bundle());
                    return issuer.equals(signer) || issuer.equals(signer().orElse(""));
                }));
    }

    private void tamper(int time) {
        var data = new HashMap<>(texts(secret().get()));
        switch (time % 7) {
            case 0 -> secret().delete();
            case 1 -> store(Map.of());
            case 2 -> {
                data.computeIfPresent("ca.crt", (name, pem) -> pem.substring(0, pem.length() / 2));
                store(data);
            }
            case 3 ->
                store(texts(CertificateAuthority.create("somebody's-" + time, Duration.ofSeconds(60), Clock.systemUTC())
                        .pem()));
            case 4 ->
                store(texts(CertificateAuthority.create(
                                "over",
                                Duration.ofDays(1),
                                Clock.fixed(Instant.now().minus(Duration.ofDays(2)), ZoneOffset.UTC))
                        .pem()));
            case 5 -> {
                data.remove("ca.key");
                store(data);
            }
            default -> store(Map.of("ca.crt", "hello", "ca.key", "world"));
        }
    }

    private static Map<String, String> texts(PemKeyPair pem) {
        return Map.of("ca.crt", pem.certificatePem(), "ca.key", pem.keyPem());
    }

    private static Map<String, String> texts(Secret secret) {
        var texts = new HashMap<String, String>();
        Optional.ofNullable(secret)
                .map(Secret::getData)
                .ifPresent(data -> data.forEach((name, value) ->
                        texts.put(name, new String(Base64.getDecoder().decode(value), StandardCharsets.US_ASCII))));
        return texts;
    }

    private void store(Map<String, String> texts) {
        var data = new HashMap<String, String>();
        texts.forEach((name, text) ->
                data.put(name, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII))));
        secret().edit(secret -> {
            secret.setData(data);
            return secret;
        });
    }

    /** The name of the CA that signs, when what is stored can be used now. */
    private Optional<String> signer() {
        try {
            var authority = SharedAuthority.read(texts(secret().get()));
            return authority.signer().notAfter().isAfter(Instant.now())
                    ? Optional.of(authority.signer().name())
                    : Optional.empty();
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    private Resource<Secret> secret() {
        return administrator.secrets().inNamespace(Names.NAMESPACE).withName(SECRET);
    }

    private Resource<MutatingWebhookConfiguration> registration() {
        return administrator
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard");
    }

    /** What the API server verifies both replicas with, as PEM. */
    private String bundle() {
        var bundle = registration().get().getWebhooks().get(0).getClientConfig().getCaBundle();
        return bundle == null ? "" : new String(Base64.getDecoder().decode(bundle), StandardCharsets.US_ASCII);
    }

    /** Every pod goes to both replicas, and cannot be created without either. */
    private void register() throws IOException {
        var yaml = Files.readString(RegisteredWebhook.MANIFESTS.resolve("base/webhook/webhook-configuration.yaml"));
        var serialization = administrator.getKubernetesSerialization();
        var configuration = serialization.unmarshal(yaml, MutatingWebhookConfiguration.class);
        var entry = configuration.getWebhooks().get(0);
        var entries = replicas.stream()
                .map(replica -> {
                    var own = serialization.clone(entry);
                    own.setName("replica-" + replica.port() + ".trainyard.dev");
                    own.getClientConfig().setService(null);
                    own.getClientConfig().setUrl(replica.url());
                    own.setFailurePolicy("Fail");
                    return own;
                })
                .toList();
        configuration.setWebhooks(new ArrayList<>(entries));
        registration().delete();
        administrator.resource(configuration).create();
    }

    private Map<String, Double> changes() throws Exception {
        var sums = new TreeMap<String, Double>();
        for (var replica : replicas) {
            var url = "http://127.0.0.1:%d/metrics"
                    .formatted(replica.operationsPort().orElseThrow());
            for (var line : NewCallers.text(url).lines().toList()) {
                if (line.startsWith("trainyard_tls_authority_changes_total{")) {
                    var change = line.replaceAll(".*change=\"([a-z]+)\".*", "$1");
                    sums.merge(change, Double.parseDouble(line.substring(line.lastIndexOf(' '))), Double::sum);
                }
            }
        }
        return sums;
    }
}
