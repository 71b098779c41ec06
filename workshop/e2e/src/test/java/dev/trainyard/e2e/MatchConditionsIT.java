package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The pods that a real kube-apiserver sends to the webhook, by the match conditions in {@code manifests/base/webhook}. No webhook runs,
 * and the failure policy is {@code Fail}. So a pod is refused if it would be sent, or if a condition cannot be evaluated for it.
 */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class MatchConditionsIT {

    private static final Path MANIFEST =
            Path.of(System.getProperty("trainyard.root"), "manifests/base/webhook/webhook-configuration.yaml");

    private static final String SENT = "sent";
    private static final String NOT_SENT = "not sent";

    private static final String PLAIN = "{name: a, image: a}";

    /** Cases by description: a pod's annotations and spec, and the expected result. */
    private static final Map<String, Case> CASES = new LinkedHashMap<>();

    private record Case(String annotations, String spec, String fate) {}

    static {
        pod("GPU in limits only", "", with("limits: {nvidia.com/gpu: 1}"), SENT);
        pod("GPU in requests only", "", with("requests: {nvidia.com/gpu: 1}"), SENT);
        pod("old name in limits", "", with("limits: {alpha.kubernetes.io/nvidia-gpu: 1}"), SENT);
        pod("old name in requests", "", with("requests: {alpha.kubernetes.io/nvidia-gpu: 1}"), SENT);
        pod(
                "second container",
                "",
                "containers: [%s, {name: b, image: b, resources: {limits: {nvidia.com/gpu: 1}}}]".formatted(PLAIN),
                SENT);
        pod("init container, limits", "", init("limits: {nvidia.com/gpu: 1}"), SENT);
        pod(
                "init container, requests of the old name",
                "",
                init("requests: {alpha.kubernetes.io/nvidia-gpu: 1}"),
                SENT);
        pod("tier annotation only", "trainyard.dev/tier: cpu", "containers: [%s]".formatted(PLAIN), SENT);
        pod(
                "tier annotation of a mirror pod",
                "trainyard.dev/tier: cpu, kubernetes.io/config.mirror: x",
                mirror(),
                NOT_SENT);
        pod("mirror pod with GPU", "kubernetes.io/config.mirror: x", mirror(), NOT_SENT);
        pod("no resources", "", "containers: [%s]".formatted(PLAIN), NOT_SENT);
        pod("other annotations", "trainyard.dev/inject: 'true'", "containers: [%s]".formatted(PLAIN), NOT_SENT);
        pod("null resources", "", "containers: [{name: a, image: a, resources: null}]", NOT_SENT);
        pod("null limits and requests", "", with("limits: null, requests: null"), NOT_SENT);
        pod(
                "null annotations and init containers",
                null,
                "containers: [%s], initContainers: null".formatted(PLAIN),
                NOT_SENT);
        pod("CPU and memory", "", with("limits: {cpu: 1}, requests: {memory: 1Mi}"), NOT_SENT);
        pod("another vendor's GPU", "", with("limits: {amd.com/gpu: 1}"), NOT_SENT);
        pod("a part of a GPU", "", with("limits: {nvidia.com/mig-1g.5gb: 1}"), NOT_SENT);
    }

    @Test
    void sendPodsThatWantAGpuOrNameATierAndNoOthers(KubernetesClient client, Namespace namespace) throws IOException {
        var name = namespace.getMetadata().getName();
        var configuration = register(client, name);
        try {
            var first = CASES.values().iterator().next();
            TrainingGround.awaitTrue(
                    "the API server knows the registration",
                    () -> fate(client, name, first).equals(SENT));

            var fates = new LinkedHashMap<String, String>();
            CASES.forEach((pod, like) -> fates.put(pod, fate(client, name, like)));

            var expected = new LinkedHashMap<String, String>();
            CASES.forEach((pod, like) -> expected.put(pod, like.fate()));
            assertThat(fates).isEqualTo(expected);
        } finally {
            client.resource(configuration).delete();
        }
    }

    /** Checks that even a webhook that blocks all other pods never blocks the pods that it needs to restart. */
    @Test
    void neverSendPodsOfTheSystemNorOfTrainyardItself(KubernetesClient client, Namespace namespace) throws IOException {
        RegisteredWebhook.install(client);
        var own = namespace.getMetadata().getName();
        var configuration = register(client, own, "kube-system", Names.NAMESPACE);
        try {
            var wantsGpu = CASES.values().iterator().next();
            TrainingGround.awaitTrue(
                    "the API server knows the registration",
                    () -> fate(client, own, wantsGpu).equals(SENT));

            assertThat(fate(client, "kube-system", wantsGpu)).isEqualTo(NOT_SENT);
            assertThat(fate(client, Names.NAMESPACE, wantsGpu)).isEqualTo(NOT_SENT);
        } finally {
            client.resource(configuration).delete();
        }
        assertThat(manifest().getWebhooks()).allSatisfy(webhook -> {
            assertThat(webhook.getFailurePolicy()).isEqualTo("Ignore");
            assertThat(webhook.getNamespaceSelector().getMatchExpressions())
                    .singleElement()
                    .satisfies(expression -> {
                        assertThat(expression.getOperator()).isEqualTo("NotIn");
                        assertThat(expression.getValues()).containsExactly("kube-system", Names.NAMESPACE);
                    });
        });
    }

    private static String fate(KubernetesClient client, String name, Case pod) {
        var yaml = """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, namespace: %s, annotations: %s}
                spec: {%s}
                """.formatted(name, pod.annotations() == null ? "null" : "{" + pod.annotations() + "}", pod.spec());
        try {
            // A map keeps nulls, which are sent to the server.
            var body = client.getKubernetesSerialization().unmarshal(yaml, HashMap.class);
            client.raw("/api/v1/namespaces/%s/pods?dryRun=All".formatted(name), "POST", body);
            return NOT_SENT;
        } catch (KubernetesClientException e) {
            var message = String.valueOf(
                    e.getStatus() == null ? e.getMessage() : e.getStatus().getMessage());
            return message.contains("failed calling webhook \"pods.trainyard.dev\"") ? SENT : message;
        }
    }

    /** Registers the manifest's webhook for these namespaces, with an address on which no server listens. */
    private static MutatingWebhookConfiguration register(KubernetesClient client, String... namespaces)
            throws IOException {
        var configuration = manifest();
        configuration.getMetadata().setName("match-conditions");
        var webhook = configuration.getWebhooks().get(0);
        webhook.setFailurePolicy("Fail");
        webhook.getClientConfig().setService(null);
        webhook.getClientConfig().setUrl("https://127.0.0.1:" + FreePort.onLoopback());
        webhook.getNamespaceSelector()
                .getMatchExpressions()
                .add(new LabelSelectorRequirementBuilder()
                        .withKey("kubernetes.io/metadata.name")
                        .withOperator("In")
                        .withValues(namespaces)
                        .build());
        return client.resource(configuration).create();
    }

    private static MutatingWebhookConfiguration manifest() throws IOException {
        return new KubernetesSerialization().unmarshal(Files.readString(MANIFEST), MutatingWebhookConfiguration.class);
    }

    private static void pod(String name, String annotations, String spec, String fate) {
        CASES.put(name, new Case(annotations, spec, fate));
    }

    private static String with(String resources) {
        return "containers: [{name: a, image: a, resources: {%s}}]".formatted(resources);
    }

    private static String init(String resources) {
        return "containers: [%s], initContainers: [{name: i, image: i, resources: {%s}}]".formatted(PLAIN, resources);
    }

    private static String mirror() {
        return "nodeName: n, " + with("limits: {nvidia.com/gpu: 1}");
    }
}
