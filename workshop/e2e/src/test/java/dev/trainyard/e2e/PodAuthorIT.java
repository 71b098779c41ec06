package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.workshop.cluster.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An adversary with the rights of Kubernetes' role {@code edit} in their namespace, with the real API server and the real webhook.
 * Decisions of the webhook alone are in {@code PodAuthorTest} of the module.
 */
@WithTestCluster
@ResourceLock(WithTestCluster.WHOLE) // measures delays
class PodAuthorIT {

    private static final String AUTHOR = "author";

    /** The length of a field in characters, for a pod of about a mebibyte. */
    private static final int LIMIT = 1_000_000;

    /** The time of a pod that was admitted unchanged, because no answer arrived in time. */
    private static final long UNANSWERED = Long.MAX_VALUE;

    /** Tries to change the pools and tiers that the administrator offers, and who may use them. A user may only choose among them. */
    @Test
    void mayNotChangeWhatIsOfferedNorWhomItIsOfferedTo(TestCluster testCluster, TrainingGround ground) {
        var allowed = new ArrayList<String>();
        try (var author = author(testCluster, ground)) {
            for (var call : Stream.of(
                            "POST /apis/trainyard.dev/v1alpha1/trainingtiers",
                            "PATCH /apis/trainyard.dev/v1alpha1/trainingtiers/light-gpu",
                            "POST /apis/trainyard.dev/v1alpha1/trainingpools",
                            "PATCH /apis/trainyard.dev/v1alpha1/trainingpools/light-spot",
                            "PATCH /apis/trainyard.dev/v1alpha1/trainingpools/light-spot/status",
                            "PATCH /api/v1/namespaces/"
                                    + ground.namespace(), // would change Pod Security, all-pods and pull secrets
                            "PATCH /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/trainyard",
                            "GET /api/v1/namespaces/trainyard-system/secrets/trainyard-webhook-ca",
                            "GET /api/v1/namespaces/trainyard-system/configmaps",
                            "POST /api/v1/namespaces/trainyard-system/pods",
                            "POST /api/v1/namespaces/kube-system/pods",
                            "PATCH /api/v1/nodes/any",
                            "POST /api/v1/namespaces/%s/pods/any/binding".formatted(ground.namespace()))
                    .toList()) {
                var words = call.split(" ", 2);
                var reply = author.call(words[0], words[1]);
                if (!reply.isForbidden()) {
                    allowed.add(call + ": " + reply);
                }
            }
        }
        assertThat(allowed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"baseline", "restricted"})
    void getsNoPathOfANodeWhereTheNamespaceForbidsThem(String level, TestCluster testCluster, TrainingGround ground) {
        ground.kubectl("label", "namespace", ground.namespace(), "pod-security.kubernetes.io/enforce=" + level);
        try (var author = author(testCluster, ground)) {
            for (var tier : List.of("light-gpu", "heavy-gpu")) {
                var pod = pod();
                pod.withObject("/metadata/annotations").put(Names.TIER, tier);
                TrainingGround.awaitTrue("the webhook knows the level", () -> {
                    var answer = WebhookAnswer.toDryRun(author.client(), ground.namespace(), pod);
                    return answer.isAccepted()
                            && answer.body().at("/metadata/annotations").has(Names.INJECTED)
                            && !answer.body().toString().contains("hostPath");
                });
            }
            var own = pod();
            own.withObject("/spec")
                    .putArray("volumes")
                    .addObject()
                    .put("name", "etc")
                    .putObject("hostPath")
                    .put("path", "/etc");

            assertThat(WebhookAnswer.toDryRun(author.client(), ground.namespace(), own)
                            .message())
                    .contains("violates PodSecurity");
        }
    }

    @Test
    void getsTheDriverOfItsTierReadOnlyAndNoOtherPathOfANode(TestCluster testCluster, TrainingGround ground) {
        try (var author = author(testCluster, ground)) {
            RegisteredWebhook.awaitCalledFor(author.client(), ground.namespace());
            var pod = pod();
            for (var name : List.of("driver", "driver-root", "host-path", "extra-libraries", "image-pull-secrets")) {
                pod.withObject("/metadata/annotations").put(Names.GROUP + "/" + name, "/etc");
            }

            var stored = WebhookAnswer.toDryRun(author.client(), ground.namespace(), pod)
                    .body();

            assertThat(stored.findValuesAsText("path"))
                    .filteredOn(path -> !path.isEmpty() && path.startsWith("/usr"))
                    .containsExactlyInAnyOrder(
                            "/usr/lib/nvidia-384", "/usr/lib/nvidia-384/bin", "/usr/lib/x86_64-linux-gnu/libcuda.so.1");
            assertThat(stored.toString()).doesNotContain("\"path\":\"/etc\"");
            for (var mount : stored.at("/spec/containers/0/volumeMounts")) {
                assertThat(mount.path("readOnly").asBoolean()).isTrue();
            }
            assertThat(stored.at("/spec").has("imagePullSecrets")).isFalse();
        }
    }

    /** Mounts a volume that only the webhook would add. The API server refuses the pod, as it would without a webhook. */
    @Test
    void cannotMountTheDriverByTheNameOfItsVolume(TestCluster testCluster, TrainingGround ground) {
        try (var author = author(testCluster, ground)) {
            RegisteredWebhook.awaitCalledFor(author.client(), ground.namespace());
            var pod = pod();
            ((ObjectNode) pod.at("/spec/containers/0"))
                    .putArray("volumeMounts")
                    .addObject()
                    .put("name", "lib")
                    .put("mountPath", "/mine");

            var answer = WebhookAnswer.toDryRun(author.client(), ground.namespace(), pod);

            assertThat(answer.message()).contains("volumeMounts[0].name: Not found: \"lib\"");
        }
    }

    /**
     * Checks that invalid pods are refused by the API server itself. None may fail because our patch does not apply, which would be status
     * 500.
     */
    @Test
    void isAnsweredAsIfThereWereNoWebhook(TestCluster testCluster, TrainingGround ground) {
        try (var author = author(testCluster, ground)) {
            RegisteredWebhook.awaitCalledFor(author.client(), ground.namespace());
            trickyPods().forEach(pod -> {
                var optedOut = pod.deepCopy();
                optedOut.withObject("/metadata/annotations").put(Names.INJECT, "false");

                var with = WebhookAnswer.toDryRun(author.client(), ground.namespace(), pod);
                var without = WebhookAnswer.toDryRun(author.client(), ground.namespace(), optedOut);

                assertThat(with.code() + with.message())
                        .as("%.500s", pod)
                        .isEqualTo(without.code() + without.message());
            });
        }
    }

    private static Stream<ObjectNode> trickyPods() {
        var names = Stream.of("~1spec~1hostNetwork", "/spec/hostNetwork", "~0~1", "..", "-", "0", "")
                .flatMap(name -> Stream.of(
                        annotated(name, "x"),
                        limited(name),
                        changed("/spec/nodeSelector", name),
                        changed("/metadata/labels", name)));
        var huge = Stream.of(
                annotated("notes", "x".repeat(262_144 - 60)),
                annotated("notes", "x".repeat(262_145)),
                annotated("notes", "x".repeat(1 << 20)),
                annotated("deep", "[".repeat(200_000)));
        return Stream.concat(names, huge);
    }

    /** Checks that the registration excludes only namespaces, by a label that cannot be forged, and no objects. */
    @Test
    void isExemptByNoLabelAndLosesByOptingOut(TestCluster testCluster, TrainingGround ground) {
        for (var webhook : testCluster
                .client()
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("trainyard")
                .get()
                .getWebhooks()) {
            assertThat(webhook.getObjectSelector().getMatchLabels()).isNullOrEmpty();
            assertThat(webhook.getObjectSelector().getMatchExpressions()).isNullOrEmpty();
        }
        try (var author = author(testCluster, ground)) {
            RegisteredWebhook.awaitCalledFor(author.client(), ground.namespace());
            var labelled = pod();
            for (var label : Map.of(
                            "trainyard.dev/inject", "false",
                            "trainyard.dev/exempt", "true",
                            "kubernetes.io/metadata.name", "kube-system",
                            "pod-security.kubernetes.io/enforce", "privileged")
                    .entrySet()) {
                labelled.withObject("/metadata/labels").put(label.getKey(), label.getValue());
            }
            var optedOut = pod();
            optedOut.withObject("/metadata/annotations").put(Names.INJECT, "false");

            assertThat(WebhookAnswer.toDryRun(author.client(), ground.namespace(), labelled)
                            .body()
                            .at("/metadata/annotations")
                            .has(Names.INJECTED))
                    .isTrue();
            var stored = WebhookAnswer.toDryRun(author.client(), ground.namespace(), optedOut)
                    .body();
            assertThat(stored.toString()).doesNotContain("hostPath", Names.INJECTED, Names.SCHEDULER);
        }
    }

    /**
     * Uses fields of the maximum length, for the slowest processing. A systematic delay shows in every attempt, so the fastest attempt is
     * checked. On a busy machine the API server may admit a pod without the webhook's answer. Its delay is unknown, but too long.
     */
    @ParameterizedTest
    @MethodSource("podsAtTheLimit")
    @Tag("slow")
    void delaysNoOtherPodByAFieldAtTheLimit(
            String field, ObjectNode large, TestCluster testCluster, TrainingGround ground) {
        try (var author = author(testCluster, ground)) {
            RegisteredWebhook.awaitCalledFor(author.client(), ground.namespace());
            var alone = LongStream.range(0, 3)
                    .map(time -> nanosOf(author, ground, pod()))
                    .min()
                    .orElseThrow();
            long least = UNANSWERED;
            for (int time = 0; time < 3; time++) {
                var other = CompletableFuture.supplyAsync(
                        () -> WebhookAnswer.toDryRun(author.client(), ground.namespace(), large));
                least = Math.min(least, nanosOf(author, ground, pod()));
                // The API server's own checks of such a field can take longer than its client's timeout.
                other.handle((answer, failure) -> answer).join();
            }
            assertThat(alone).as("a pod alone is answered").isNotEqualTo(UNANSWERED);
            assertThat(least - alone).as(field).isLessThan(Duration.ofSeconds(1).toNanos());
        }
    }

    private static long nanosOf(Identity author, TrainingGround ground, ObjectNode pod) {
        long begun = System.nanoTime();
        boolean answered = WebhookAnswer.toDryRun(author.client(), ground.namespace(), pod)
                .body()
                .at("/metadata/annotations")
                .has(Names.INJECTED);
        return answered ? System.nanoTime() - begun : UNANSWERED;
    }

    static Stream<Arguments> podsAtTheLimit() {
        return Stream.of(
                large(
                        "annotations",
                        pod -> pod.withObject("/metadata/annotations").put("a", "x".repeat(LIMIT))),
                large("labels", pod -> fill(pod.withObject("/metadata/labels"), "l-", "x")),
                large("image", pod -> container(pod).put("image", "x".repeat(LIMIT))),
                large("command", pod -> fill(container(pod).putArray("command"))),
                large(
                        "value of a variable",
                        pod -> container(pod)
                                .putArray("env")
                                .addObject()
                                .put("name", "A")
                                .put("value", "x".repeat(LIMIT))),
                large("env", pod -> objects(container(pod).putArray("env"), (one, n) -> one.put("name", "V" + n))),
                large(
                        "ports",
                        pod -> objects(
                                container(pod).putArray("ports"), (one, n) -> one.put("containerPort", 1 + n % 65535))),
                large("limits", pod -> fill(container(pod).withObject("/resources/limits"), "example.com/r-", "1")),
                large(
                        "a limit",
                        pod -> container(pod).withObject("/resources/limits").put("memory", "9".repeat(LIMIT))),
                large("nodeSelector", pod -> fill(pod.withObject("/spec/nodeSelector"), "n-", "x")),
                large(
                        "tolerations",
                        pod -> objects(
                                pod.withObject("/spec").putArray("tolerations"),
                                (one, n) -> one.put("key", "k" + n).put("operator", "Exists"))),
                large(
                        "volumes",
                        pod -> objects(
                                pod.withObject("/spec").putArray("volumes"),
                                (one, n) -> one.put("name", "v" + n).putObject("emptyDir"))),
                large(
                        "containers",
                        pod -> objects(
                                (ArrayNode) pod.at("/spec/containers"),
                                (one, n) -> one.put("name", "c" + n).put("image", "x"))),
                large(
                        "node affinity",
                        pod -> objects(
                                pod.withObject(
                                                "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution")
                                        .putArray("nodeSelectorTerms"),
                                (one, n) -> one.putArray("matchExpressions")
                                        .addObject()
                                        .put("key", "k" + n)
                                        .put("operator", "Exists"))),
                large(
                        "spread constraints",
                        pod -> objects(
                                pod.withObject("/spec").putArray("topologySpreadConstraints"),
                                (one, n) -> one.put("maxSkew", 1)
                                        .put("topologyKey", "k" + n)
                                        .put("whenUnsatisfiable", "DoNotSchedule"))));
    }

    private static Arguments large(String field, Consumer<ObjectNode> change) {
        var pod = pod();
        change.accept(pod);
        return Arguments.of(field, pod);
    }

    private static ObjectNode container(ObjectNode pod) {
        return (ObjectNode) pod.at("/spec/containers/0");
    }

    private static void fill(ObjectNode object, String prefix, String value) {
        for (int entry = 0; entry * (prefix.length() + 12) < LIMIT; entry++) {
            object.put(prefix + entry, value);
        }
    }

    private static void fill(ArrayNode list) {
        for (int item = 0; item * 12 < LIMIT; item++) {
            list.add("argument");
        }
    }

    private static void objects(ArrayNode list, BiConsumer<ObjectNode, Integer> content) {
        for (int item = 0; item * 40 < LIMIT; item++) {
            content.accept(list.addObject(), item);
        }
    }

    private static Identity author(TestCluster testCluster, TrainingGround ground) {
        ground.kubectl("create", "rolebinding", "author", "--clusterrole=edit", "--user=" + AUTHOR);
        var author = new Identity(
                ControlPlane.client(testCluster.controlPlane().kubeconfigFor(AUTHOR, List.of("team"))), null);
        TrainingGround.awaitTrue(
                "the author may make pods",
                () -> author.call("GET", "/api/v1/namespaces/%s/pods".formatted(ground.namespace()))
                                .code()
                        == 200);
        return author;
    }

    private static ObjectNode annotated(String name, String value) {
        var pod = pod();
        pod.withObject("/metadata/annotations").put(name, value);
        return pod;
    }

    private static ObjectNode limited(String name) {
        var pod = pod();
        ((ObjectNode) pod.at("/spec/containers/0/resources/limits")).put(name, "1");
        return pod;
    }

    private static ObjectNode changed(String object, String name) {
        var pod = pod();
        pod.withObject(object).put(name, "x");
        return pod;
    }

    /** Returns a pod that satisfies Pod Security's strictest level. */
    private static ObjectNode pod() {
        var pod = JsonNodeFactory.instance.objectNode();
        pod.withObject("/metadata").put("name", "mine");
        var spec = pod.withObject("/spec");
        spec.withObject("/securityContext").put("runAsNonRoot", true);
        spec.withObject("/securityContext/seccompProfile").put("type", "RuntimeDefault");
        var container = spec.putArray("containers").addObject();
        container.put("name", "main").put("image", "mine");
        container.withObject("/resources/limits").put("nvidia.com/gpu", "1");
        var security = container.withObject("/securityContext");
        security.put("allowPrivilegeEscalation", false);
        security.withObject("/capabilities").withArray("drop").add("ALL");
        return pod;
    }
}
