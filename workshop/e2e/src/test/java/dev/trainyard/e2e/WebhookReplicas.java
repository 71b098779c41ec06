package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.SharedAuthority;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.runtime.authority.TlsSource;
import dev.trainyard.webhook.WebhookComponent;
import dev.trainyard.webhook.WebhookOptions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two replicas of the webhook that share a CA in a Secret, with the rights in the manifests. The API server sends each pod to both
 * replicas. The creation of the pod fails if one replica's certificate cannot be verified.
 */
final class WebhookReplicas implements AutoCloseable {

    private static final String SECRET = "trainyard-webhook-ca";
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final List<WebhookComponent> replicas = new ArrayList<>();
    private final KubernetesClient administrator;

    private WebhookReplicas(KubernetesClient administrator) {
        this.administrator = administrator;
    }

    /** Starts both replicas and returns when they are ready. */
    static WebhookReplicas start(ControlPlane controlPlane, KubernetesClient administrator, TlsSource.Timing timing)
            throws Exception {
        RegisteredWebhook.install(administrator);
        var started = new WebhookReplicas(administrator);
        try {
            started.startBoth(controlPlane, timing);
            return started;
        } catch (Exception | AssertionError e) {
            started.close();
            throw e;
        }
    }

    private void startBoth(ControlPlane controlPlane, TlsSource.Timing timing) throws Exception {
        secret().delete();
        var rights = controlPlane.kubeconfigFor(
                "system:serviceaccount:trainyard-system:trainyard-webhook", List.of("system:serviceaccounts"));
        var options = WebhookOptions.onLoopback(Path.of("unused"))
                .withTlsFrom(new TlsSource.InSecret(SECRET, timing))
                .withKubeconfig(rights)
                .withWebhookConfiguration("trainyard");
        for (int i = 0; i < 2; i++) {
            replicas.add(WebhookComponent.start(options, Clock.systemUTC()));
        }
        register();
        for (var replica : replicas) {
            assertThat(replica.awaitReady(TIMEOUT))
                    .as("%s", replica.whyNotReady())
                    .isTrue();
        }
    }

    List<Integer> ports() {
        return replicas.stream().map(WebhookComponent::port).toList();
    }

    Resource<Secret> secret() {
        return administrator.secrets().inNamespace(Names.NAMESPACE).withName(SECRET);
    }

    Resource<MutatingWebhookConfiguration> registration() {
        return administrator
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard");
    }

    /** Returns the CA bundle with which the API server verifies both replicas, as PEM. */
    String bundle() {
        var bundle = registration().get().getWebhooks().get(0).getClientConfig().getCaBundle();
        return bundle == null ? "" : new String(Base64.getDecoder().decode(bundle), StandardCharsets.US_ASCII);
    }

    /** Returns the name of the CA that signs now; empty if the stored CA is unreadable or expired. */
    Optional<String> signer() {
        try {
            var authority = SharedAuthority.read(stored());
            return authority.signer().notAfter().isAfter(Instant.now())
                    ? Optional.of(authority.signer().name())
                    : Optional.empty();
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Waits until both replicas present verifiable certificates of the CA {@code signer}, or of the CA that has replaced it. */
    void awaitServed(String signer) {
        TrainingGround.awaitTrue(
                "both replicas show certificates of " + signer + " or of one that followed it",
                () -> ports().stream().allMatch(port -> {
                    try {
                        var issuer = NewCallers.issuer(port, bundle());
                        return issuer.equals(signer) || issuer.equals(signer().orElse(""));
                    } catch (UncheckedIOException e) {
                        return false; // only tests that count failures treat this as an error
                    }
                }));
    }

    /** Returns the entries of the Secret by key. */
    Map<String, String> stored() {
        var texts = new HashMap<String, String>();
        Optional.ofNullable(secret().get())
                .map(Secret::getData)
                .ifPresent(data -> data.forEach((name, value) ->
                        texts.put(name, new String(Base64.getDecoder().decode(value), StandardCharsets.US_ASCII))));
        return texts;
    }

    void store(Map<String, String> texts) {
        var data = new HashMap<String, String>();
        texts.forEach((name, text) ->
                data.put(name, Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII))));
        secret().edit(secret -> {
            secret.setData(data);
            return secret;
        });
    }

    /** Returns how often the two replicas together have changed the Secret, by kind of change. */
    Map<String, Double> changes() throws Exception {
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

    /** Starts to count writes of an object by any client. A write without a change is not counted, because it causes no event. */
    static <T extends HasMetadata> Writes count(Resource<T> resource) {
        return new Writes(resource);
    }

    /** A count of writes: every write causes an event of the watch. */
    static final class Writes implements AutoCloseable {
        private final AtomicInteger seen = new AtomicInteger();
        private final Watch watch;

        private <T extends HasMetadata> Writes(Resource<T> resource) {
            this.watch = resource.watch(new Watcher<T>() {
                @Override
                public void eventReceived(Action action, T object) {
                    seen.incrementAndGet();
                }

                @Override
                public void onClose(WatcherException cause) {}
            });
        }

        int seen() {
            return seen.get();
        }

        @Override
        public void close() {
            watch.close();
        }
    }

    /** Registers both replicas for every pod: each pod is created only if both answer. */
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

    @Override
    public void close() {
        registration().delete();
        replicas.forEach(WebhookComponent::close);
        secret().delete();
    }
}
