package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every golden pair of the webhook with a real API server. With the webhook, the pod in {@code before.yaml} is stored exactly as the pod in
 * {@code after.yaml} is stored without the webhook. The pod's author receives the messages in {@code outcome.yaml}.
 */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class GoldenPodsIT {

    /**
     * Pods that the API server itself would refuse, with its message. If the webhook refuses one of them, the author reads our message
     * instead.
     */
    static final Map<String, String> INVALID = Map.of(
            "negative-gpus", "must be greater than or equal to 0",
            "unequal-gpus", "must be equal to nvidia.com/gpu limit",
            "boolean-node-selector", "cannot unmarshal bool",
            "typographic-quotes", "a valid label must be");

    /** Objects that some of the pods refer to. */
    static final String CLASSES = """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: urgent}
            value: 1000
            preemptionPolicy: Never
            ---
            apiVersion: node.k8s.io/v1
            kind: RuntimeClass
            metadata: {name: nvidia}
            handler: nvidia
            """;

    private static final ObjectMapper JSON = new ObjectMapper();

    private static RegisteredWebhook webhook;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        var poolsAndTiers = new ArrayList<HasMetadata>();
        for (var file : List.of("examples/pools.yaml", "examples/tiers.yaml")) {
            poolsAndTiers.addAll(RegisteredWebhook.objects(client, RegisteredWebhook.MANIFESTS.resolve(file)));
        }
        RegisteredWebhook.objects(client, GoldenPod.DIRECTORY.resolve("catalogue.yaml")).stream()
                .filter(object -> !object.getMetadata().getName().equals(GoldenPod.WRONG_TIER))
                .forEach(poolsAndTiers::add);
        client.load(new ByteArrayInputStream(CLASSES.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
        webhook = RegisteredWebhook.start(controlPlane, client, poolsAndTiers);
    }

    @AfterAll
    static void stop() {
        webhook.close();
    }

    static List<GoldenPod> goldenPods() throws IOException {
        return GoldenPod.all()
                .filter(golden -> golden.poolsAndTiers().isEmpty())
                .toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("goldenPods")
    void isStoredAndToldAs(GoldenPod golden, KubernetesClient client) throws IOException {
        assertStoredAndTold(golden, client);
    }

    /** Checks a pair whose pools and tiers the registered webhook has. */
    static void assertStoredAndTold(GoldenPod golden, KubernetesClient client) throws IOException {
        var name = golden.name();
        var namespace = golden.namespace().isEmpty()
                ? "default"
                : create(client, golden.namespace().get());
        try {
            assertInvalidOnlyIfListed(name, answer(client, RegisteredWebhook.UNWATCHED, golden.before()));
            var answer = answer(client, namespace, golden.before());
            if (golden.isRefused()) {
                assertThat(answer.code()).isEqualTo(403);
                assertThat(answer.message()).isEqualTo(RegisteredWebhook.DENIED + golden.message());
            } else {
                var writtenSo = answer(client, RegisteredWebhook.UNWATCHED, golden.after());
                assertThatItEqualsOneWrittenSo(golden, answer, writtenSo);
            }
        } finally {
            if (golden.namespace().isPresent()) {
                client.namespaces().withName(namespace).delete();
            }
        }
    }

    @Test
    void theTierThatIsWrongIsNotEvenStored(KubernetesClient client) throws IOException {
        var wrong = RegisteredWebhook.objects(client, GoldenPod.DIRECTORY.resolve("catalogue.yaml")).stream()
                .filter(object -> object.getMetadata().getName().equals(GoldenPod.WRONG_TIER))
                .findFirst()
                .orElseThrow();
        assertThatThrownBy(() -> client.resource(wrong).serverSideApply()).hasMessageContaining("fallbackAfter");
    }

    private static void assertInvalidOnlyIfListed(String name, WebhookAnswer withoutTheWebhook) {
        assertThat(withoutTheWebhook.message()).contains(INVALID.getOrDefault(name, ""));
        assertThat(withoutTheWebhook.isAccepted())
                .as(withoutTheWebhook.message())
                .isEqualTo(!INVALID.containsKey(name));
    }

    private static void assertThatItEqualsOneWrittenSo(
            GoldenPod golden, WebhookAnswer answer, WebhookAnswer writtenSo) {
        assertThat(answer.message()).isEqualTo(writtenSo.message());
        if (!answer.isAccepted()) {
            assertThat(INVALID).containsKey(golden.name());
            return;
        }
        assertThat(stated(answer.body())).isEqualTo(stated(writtenSo.body()));
        assertThat(answer.warnings())
                .as("those of the API server itself, and those of outcome.yaml")
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(writtenSo.warnings().stream(), golden.warnings().stream())
                                .toList());
    }

    private static WebhookAnswer answer(KubernetesClient client, String namespace, JsonNode pod) {
        var there = (ObjectNode) pod.deepCopy();
        there.withObject("/metadata").put("namespace", namespace);
        return WebhookAnswer.toDryRun(client, namespace, there);
    }

    private static String create(KubernetesClient client, JsonNode namespace) {
        var name = client.resource(client.getKubernetesSerialization().unmarshal(namespace.toString(), Namespace.class))
                .create()
                .getMetadata()
                .getName();
        RegisteredWebhook.awaitCalledFor(client, name);
        return name;
    }

    /**
     * Returns the parts of the pod that its author or the webhook set. Excludes values that differ with each creation, and the API server's
     * own tolerations.
     */
    private static JsonNode stated(ObjectNode pod) {
        var stated = JSON.createObjectNode();
        for (var member : List.of("annotations", "labels", "ownerReferences", "finalizers")) {
            stated.set(member, pod.path("metadata").path(member).deepCopy());
        }
        if (stated.path("annotations") instanceof ObjectNode annotations) {
            annotations.remove(Names.ADMISSION);
        }
        var spec = (ObjectNode) pod.path("spec");
        var tolerations = JSON.createArrayNode();
        spec.path("tolerations").forEach(toleration -> {
            if (!toleration.path("key").asText().matches("node.kubernetes.io/(not-ready|unreachable)")) {
                tolerations.add(toleration);
            }
        });
        spec.set("tolerations", tolerations);
        return stated.set("spec", spec);
    }
}
