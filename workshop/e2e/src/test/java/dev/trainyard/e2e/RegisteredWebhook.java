package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.Definitions;
import dev.trainyard.webhook.WebhookComponent;
import dev.trainyard.webhook.WebhookOptions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A webhook that a real API server calls. Its registration and rights are those in {@code manifests/base/webhook}. The test chooses the
 * pools and tiers. Closing removes all created objects.
 */
final class RegisteredWebhook implements AutoCloseable {

    static final Path MANIFESTS = Path.of(System.getProperty("trainyard.root"), "manifests");

    /** A namespace that the registration excludes, with the objects that pods need. */
    static final String UNWATCHED = Names.NAMESPACE;

    /** The text that the API server puts before the webhook's refusals. */
    static final String DENIED = "admission webhook \"pods.trainyard.dev\" denied the request: ";

    /** A pod that only our webhook refuses, even if its namespace opts out. */
    private static final JsonNode PROBE = JsonNodeFactory.instance.objectNode();

    static {
        PROBE.withObject("/metadata").put("name", "probe");
        PROBE.withObject("/metadata/annotations")
                .put(Names.TIER, "no-such-tier")
                .put(Names.INJECT, "true");
        PROBE.withObject("/spec")
                .putArray("containers")
                .addObject()
                .put("name", "a")
                .put("image", "a");
    }

    private static final int FORBIDDEN = 403;
    private static final String DECISIONS = "trainyard_webhook_decisions_total{";
    private static final String DEFINITIONS = "base/crds/";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final KubernetesClient client;
    private final WebhookOptions options;
    private final List<HasMetadata> poolsAndTiers;
    private WebhookComponent component;

    private RegisteredWebhook(KubernetesClient client, WebhookOptions options, List<HasMetadata> poolsAndTiers) {
        this.client = client;
        this.options = options;
        this.poolsAndTiers = poolsAndTiers;
        this.component = WebhookComponent.start(options, Clock.systemUTC());
    }

    /** Starts a webhook with the example pools and tiers. */
    static RegisteredWebhook start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        var examples = new ArrayList<>(objects(client, MANIFESTS.resolve("examples/pools.yaml")));
        examples.addAll(objects(client, MANIFESTS.resolve("examples/tiers.yaml")));
        return start(controlPlane, client, examples);
    }

    /** Starts a webhook and returns when the API server calls it. */
    static RegisteredWebhook start(
            ControlPlane controlPlane, KubernetesClient client, List<? extends HasMetadata> poolsAndTiers)
            throws Exception {
        install(client);
        var stored = new ArrayList<HasMetadata>();
        poolsAndTiers.forEach(
                object -> stored.add(client.resource((HasMetadata) object).serverSideApply()));
        var rights = controlPlane.kubeconfigFor(
                "system:serviceaccount:trainyard-system:trainyard-webhook", List.of("system:serviceaccounts"));
        var options = WebhookOptions.onLoopback(Files.createTempDirectory(controlPlane.dir(), "webhook-tls"))
                .withKubeconfig(rights)
                .withWebhookConfiguration("trainyard");
        var webhook = new RegisteredWebhook(client, options, stored);
        try {
            webhook.awaitCalledOnceRegistered();
            return webhook;
        } catch (Exception | AssertionError e) {
            webhook.close();
            throw e;
        }
    }

    /** Returns the objects of a file. */
    static List<HasMetadata> objects(KubernetesClient client, Path file) throws IOException {
        try (var stream = Files.newInputStream(file)) {
            return client.load(stream).items();
        }
    }

    /** Installs the CustomResourceDefinitions, the namespace and the rights. */
    static void install(KubernetesClient client) throws IOException {
        for (var definition : List.of("trainingpools", "trainingtiers", "trainingclusters")) {
            apply(client, DEFINITIONS + definition + ".yaml");
            Definitions.awaitEstablished(client, definition + "." + Names.GROUP);
        }
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(Names.NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
        awaitServiceAccount(client, UNWATCHED);
        apply(client, "base/secrets-policy.yaml");
        apply(client, "base/webhook/rbac.yaml");
    }

    /** Waits for the default ServiceAccount, without which the API server refuses pods. */
    static void awaitServiceAccount(KubernetesClient client, String namespace) {
        client.serviceAccounts()
                .inNamespace(namespace)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private static void apply(KubernetesClient client, String manifest) throws IOException {
        objects(client, MANIFESTS.resolve(manifest))
                .forEach(object -> client.resource(object).serverSideApply());
    }

    private void awaitCalledOnceRegistered() throws Exception {
        register();
        assertThat(component.awaitReady(TIMEOUT))
                .as("%s", component.whyNotReady())
                .isTrue();
        awaitCalled();
    }

    /** Registers the webhook of the manifest without a CA. The registration has a URL, because Services cannot be resolved here. */
    void register() throws IOException {
        var yaml = Files.readString(MANIFESTS.resolve("base/webhook/webhook-configuration.yaml"));
        var configuration = client.getKubernetesSerialization().unmarshal(yaml, MutatingWebhookConfiguration.class);
        for (var webhook : configuration.getWebhooks()) {
            webhook.getClientConfig().setService(null);
            webhook.getClientConfig().setUrl(component.url());
        }
        if (registration().get() == null) {
            client.resource(configuration).create();
        } else {
            client.resource(configuration).update();
        }
    }

    Resource<MutatingWebhookConfiguration> registration() {
        return client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard");
    }

    private void awaitCalled() {
        awaitCalledFor(client, "default");
    }

    /**
     * Waits until the webhook is called for pods in the namespace and knows the namespace. The API server applies a registration and its CA
     * some time after they are written. The webhook sees a namespace some time after its creation.
     */
    static void awaitCalledFor(KubernetesClient client, String namespace) {
        TrainingGround.awaitTrue("the webhook is called for pods in " + namespace, () -> {
            var answer = WebhookAnswer.toDryRun(client, namespace, PROBE);
            return answer.code() == FORBIDDEN && answer.message().startsWith(DENIED);
        });
    }

    /** Stops the process, but keeps its registration. */
    void stop() {
        component.close();
    }

    /** Starts the webhook after {@link #stop}, at a new address. Returns when the API server calls it. */
    void restart() throws Exception {
        component = WebhookComponent.start(options, Clock.systemUTC());
        awaitCalledOnceRegistered();
    }

    /** Returns the lines of the webhook's metrics that count decisions. */
    List<String> decisions() throws Exception {
        var metrics = URI.create("http://127.0.0.1:%d/metrics"
                .formatted(component.operationsPort().orElseThrow()));
        var response =
                HttpClient.newHttpClient().send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body()
                .lines()
                .filter(line -> line.startsWith(DECISIONS))
                .toList();
    }

    @Override
    public void close() {
        registration().delete();
        component.close();
        poolsAndTiers.forEach(object -> client.resource(object).delete());
    }
}
