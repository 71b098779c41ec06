package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An adversary with the token of one of our ServiceAccounts: tries everything that the token must not allow. The remaining rights are in
 * {@code docs/decisions/0046-what-an-adversary-gets.md}.
 */
@WithTestCluster
class StolenTokenIT {

    private static final String WEBHOOK = "trainyard-webhook";
    private static final String SCHEDULER = "trainyard-scheduler";
    private static final String SCALER = "trainyard-scaler";

    private static final String NAMESPACE = "/api/v1/namespaces/{ns}";
    private static final String OURS = "/api/v1/namespaces/" + Names.NAMESPACE;
    private static final String RIGHTS = "/apis/rbac.authorization.k8s.io/v1";
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1";
    private static final String POOLS = "/apis/trainyard.dev/v1alpha1";

    /** Calls that none of the tokens may allow. */
    private static final List<String> OF_NOBODY = List.of(
            // Secrets of tenants and of Trainyard.
            "GET /api/v1/secrets",
            "GET " + NAMESPACE + "/secrets",
            "GET " + NAMESPACE + "/secrets/tenant",
            "GET " + OURS + "/secrets",
            "GET " + OURS + "/secrets/cloud",
            "DELETE " + OURS + "/secrets/trainyard-internal-ca",
            "POST " + NAMESPACE + "/secrets",
            "GET /api/v1/namespaces/kube-system/secrets",
            // Pods, and access to them.
            "POST " + NAMESPACE + "/pods",
            "POST " + OURS + "/pods",
            "PUT " + NAMESPACE + "/pods/tenant",
            "POST " + NAMESPACE + "/pods/tenant/exec",
            "POST " + NAMESPACE + "/pods/tenant/attach",
            "POST " + NAMESPACE + "/pods/tenant/portforward",
            "GET " + NAMESPACE + "/pods/tenant/log",
            "PATCH " + NAMESPACE + "/pods/tenant/ephemeralcontainers",
            "DELETE " + NAMESPACE + "/pods",
            "POST /apis/apps/v1/namespaces/{ns}/deployments",
            "PATCH /apis/apps/v1/namespaces/" + Names.NAMESPACE + "/deployments/trainyard-webhook",
            "POST /apis/batch/v1/namespaces/{ns}/jobs",
            "GET /api/v1/nodes/tenant/proxy/pods",
            // More rights, and the rights of others.
            "POST " + RIGHTS + "/clusterrolebindings",
            "PATCH " + RIGHTS + "/clusterroles/trainyard-webhook",
            "PATCH " + RIGHTS + "/clusterroles/trainyard-scaler",
            "POST " + RIGHTS + "/namespaces/" + Names.NAMESPACE + "/rolebindings",
            "POST " + OURS + "/serviceaccounts/trainyard-scaler/token",
            "POST " + OURS + "/serviceaccounts/trainyard-webhook/token",
            "POST " + NAMESPACE + "/serviceaccounts/default/token",
            "POST /apis/certificates.k8s.io/v1/certificatesigningrequests",
            // Objects that control everything else.
            "POST " + ADMISSION + "/mutatingwebhookconfigurations",
            "DELETE " + ADMISSION + "/mutatingwebhookconfigurations/trainyard",
            "PATCH " + ADMISSION + "/mutatingwebhookconfigurations/another",
            "PATCH " + ADMISSION + "/validatingwebhookconfigurations/trainyard",
            "DELETE " + ADMISSION + "/validatingadmissionpolicies/trainyard-extender-nudges",
            "PATCH " + ADMISSION + "/validatingadmissionpolicybindings/trainyard-extender-nudges",
            "PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/trainingpools.trainyard.dev",
            "POST " + POOLS + "/trainingpools",
            "PATCH " + POOLS + "/trainingpools/light-spot",
            "DELETE " + POOLS + "/trainingpools/light-spot",
            "PATCH " + POOLS + "/trainingtiers/light-gpu",
            "PATCH " + NAMESPACE,
            "DELETE " + NAMESPACE,
            "PATCH /apis/apps/v1/namespaces/{ns}/daemonsets/tenant",
            "GET " + NAMESPACE + "/configmaps/tenant");

    private static final Map<String, List<String>> OF_ONE = Map.of(
            WEBHOOK,
            List.of(
                    "GET /api/v1/pods",
                    "GET /api/v1/nodes",
                    "PATCH /api/v1/nodes/tenant",
                    "GET " + OURS + "/secrets/trainyard-internal-ca",
                    "PATCH " + POOLS + "/trainingpools/light-spot/status",
                    "POST " + NAMESPACE + "/pods/tenant/eviction",
                    "POST " + NAMESPACE + "/pods/tenant/binding",
                    "POST /apis/events.k8s.io/v1/namespaces/{ns}/events"),
            SCHEDULER,
            List.of(
                    "GET " + OURS + "/secrets/trainyard-webhook-ca",
                    "PATCH /api/v1/nodes/tenant",
                    "DELETE /api/v1/nodes/tenant",
                    "PATCH " + ADMISSION + "/mutatingwebhookconfigurations/trainyard",
                    "PATCH " + POOLS + "/trainingpools/light-spot/status"),
            SCALER,
            List.of(
                    "GET " + OURS + "/secrets/trainyard-webhook-ca",
                    "PATCH " + ADMISSION + "/mutatingwebhookconfigurations/trainyard",
                    "DELETE " + NAMESPACE + "/pods/tenant",
                    "POST " + NAMESPACE + "/pods/tenant/binding",
                    "DELETE /apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/tenant",
                    "PUT /api/v1/nodes/tenant"));

    static Stream<Arguments> tokens() {
        return OF_ONE.keySet().stream().sorted().map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("tokens")
    void opensNothingThatItsRoleHasNoNeedOf(String serviceAccount, TestCluster testCluster, TrainingGround ground) {
        makeTenant(testCluster, ground);
        var allowed = new ArrayList<String>();
        try (var thief = Identity.withTokenOf(testCluster.client(), Names.NAMESPACE, serviceAccount)) {
            assertThat(thief.call("GET", POOLS + "/trainingpools/light-spot").code())
                    .as("the token is one")
                    .isEqualTo(200);
            for (var call : Stream.concat(OF_NOBODY.stream(), OF_ONE.get(serviceAccount).stream())
                    .toList()) {
                var words = call.replace("{ns}", ground.namespace()).split(" ", 2);
                var reply = thief.call(words[0], words[1]);
                if (!reply.isForbidden()) {
                    allowed.add(call + ": " + reply);
                }
            }
            assertThat(allowed).isEmpty();
        }
    }

    /** Checks the policies that restrict the components' right to patch pods, because RBAC cannot restrict fields. */
    @ParameterizedTest
    @MethodSource("changesOfPods")
    void changesNothingOfAPodButItsStatusAndAnnotationsOfItsOwn(
            String serviceAccount,
            String path,
            Map<String, Object> change,
            TestCluster testCluster,
            TrainingGround ground) {
        makeTenant(testCluster, ground);
        try (var thief = Identity.withTokenOf(testCluster.client(), Names.NAMESPACE, serviceAccount)) {
            var before = tenant(testCluster, ground);

            var reply = thief.call("PATCH", NAMESPACE.replace("{ns}", ground.namespace()) + path, change);

            assertThat(reply.code()).as(reply.body()).isBetween(400, 499);
            assertThat(tenant(testCluster, ground)).isEqualTo(before);
        }
    }

    static Stream<Arguments> changesOfPods() {
        return Stream.of(SCHEDULER, SCALER).flatMap(StolenTokenIT::changesOfPods);
    }

    private static Stream<Arguments> changesOfPods(String by) {
        return Stream.of(
                Arguments.of(
                        by,
                        "/pods/tenant",
                        Map.of("spec", Map.of("containers", List.of(Map.of("name", "main", "image", "mine"))))),
                Arguments.of(by, "/pods/tenant", Map.of("spec", Map.of("activeDeadlineSeconds", 1))),
                Arguments.of(by, "/pods/tenant", Map.of("metadata", Map.of("labels", Map.of("app", "mine")))),
                Arguments.of(by, "/pods/tenant", Map.of("metadata", Map.of("annotations", Map.of("a", "b")))),
                Arguments.of(
                        by, "/pods/tenant", Map.of("metadata", Map.of("finalizers", List.of("mine.example.com/x")))),
                Arguments.of(by, "/pods/tenant/status", Map.of("metadata", Map.of("labels", Map.of("app", "mine")))),
                Arguments.of(SCALER, "/pods/tenant/status", Map.of("status", Map.of("nominatedNodeName", "mine"))));
    }

    @Test
    void scalerWritesItsAnnotationsOfPods(TestCluster testCluster, TrainingGround ground) {
        makeTenant(testCluster, ground);
        try (var scaler = Identity.withTokenOf(testCluster.client(), Names.NAMESPACE, SCALER)) {
            var path = NAMESPACE.replace("{ns}", ground.namespace()) + "/pods/tenant";

            assertThat(scaler.call("PATCH", path, annotated("2026-01-01T10:00:00Z"))
                            .code())
                    .isEqualTo(200);
            assertThat(scaler.call("PATCH", path, annotated("x".repeat(65))).code())
                    .isBetween(400, 499);
        }
    }

    @Test
    void annotationOfTheAuthorKeepsTheScalerFromNoOther(TestCluster testCluster, TrainingGround ground) {
        makeTenant(testCluster, ground);
        testCluster
                .client()
                .pods()
                .inNamespace(ground.namespace())
                .withName("tenant")
                .edit(pod -> new PodBuilder(pod)
                        .editMetadata()
                        .addToAnnotations(Names.PROGRESS, "x".repeat(65))
                        .endMetadata()
                        .build());
        try (var scaler = Identity.withTokenOf(testCluster.client(), Names.NAMESPACE, SCALER)) {
            var path = NAMESPACE.replace("{ns}", ground.namespace()) + "/pods/tenant";

            assertThat(scaler.call("PATCH", path, annotated("2026-01-01T10:00:00Z"))
                            .code())
                    .isEqualTo(200);
        }
    }

    @Test
    void scalerNominatesNodesOfHeldPodsOnly(TestCluster testCluster, TrainingGround ground) {
        makeTenant(testCluster, ground, "example.com/other", Names.GANG_GATE);
        try (var scaler = Identity.withTokenOf(testCluster.client(), Names.NAMESPACE, SCALER)) {
            var path = NAMESPACE.replace("{ns}", ground.namespace()) + "/pods/tenant";
            var nomination = Map.of("status", Map.of("nominatedNodeName", "n"));

            assertThat(scaler.call("PATCH", path + "/status", nomination).code())
                    .isEqualTo(200);
            assertThat(tenant(testCluster, ground).getStatus().getNominatedNodeName())
                    .isEqualTo("n");
            for (var other : List.of(
                    Map.of("phase", "Failed"),
                    Map.of("nominatedNodeName", "m", "message", "mine"),
                    Map.of("conditions", List.of(Map.of("type", "Ready", "status", "True"))))) {
                assertDeniedByPolicy(scaler.call("PATCH", path + "/status", Map.of("status", other)));
            }
            assertDeniedByPolicy(scaler.call("PATCH", path + "/status", annotated("2026-01-01T10:00:00Z")));

            assertThat(scaler.call("PATCH", path, withoutGate(Names.GANG_GATE, Map.of()))
                            .code())
                    .isEqualTo(200);
            assertDeniedByPolicy(
                    scaler.call("PATCH", path + "/status", Map.of("status", Map.of("nominatedNodeName", "m"))));
        }
    }

    @Test
    void scalerRemovesItsGateAndNothingElse(TestCluster testCluster, TrainingGround ground) {
        makeTenant(testCluster, ground, "example.com/other", Names.GANG_GATE);
        try (var scaler = Identity.withTokenOf(testCluster.client(), Names.NAMESPACE, SCALER)) {
            var path = NAMESPACE.replace("{ns}", ground.namespace()) + "/pods/tenant";
            var tolerations =
                    new ArrayList<>(tenant(testCluster, ground).getSpec().getTolerations());
            tolerations.add(new TolerationBuilder().withOperator("Exists").build());
            for (var change : List.of(
                    withoutGate("example.com/other", Map.of()),
                    withoutGate(
                            Names.GANG_GATE, Map.of("containers", List.of(Map.of("name", "main", "image", "mine")))),
                    withoutGate(Names.GANG_GATE, Map.of("nodeSelector", Map.of("a", "b"))),
                    withoutGate(Names.GANG_GATE, Map.of("activeDeadlineSeconds", 1)),
                    withoutGate(Names.GANG_GATE, Map.of("tolerations", tolerations)),
                    Map.<String, Object>of("spec", Map.of("nodeSelector", Map.of("a", "b"))))) {
                assertDeniedByPolicy(scaler.call("PATCH", path, change));
            }

            assertThat(scaler.call("PATCH", path, withoutGate(Names.GANG_GATE, Map.of()))
                            .code())
                    .isEqualTo(200);
            assertThat(tenant(testCluster, ground).getSpec().getSchedulingGates())
                    .extracting(PodSchedulingGate::getName)
                    .containsExactly("example.com/other");
        }
    }

    private static void assertDeniedByPolicy(Identity.Reply reply) {
        assertThat(reply.body()).contains("trainyard-scaler-notices");
        assertThat(reply.code()).isBetween(400, 499);
    }

    /** Returns a strategic merge patch that removes a scheduling gate and makes other changes of the spec. */
    private static Map<String, Object> withoutGate(String gate, Map<String, Object> others) {
        var spec = new HashMap<>(others);
        spec.put("schedulingGates", List.of(Map.of("name", gate, "$patch", "delete")));
        return Map.of("spec", spec);
    }

    private static Pod tenant(TestCluster testCluster, TrainingGround ground) {
        return testCluster
                .client()
                .pods()
                .inNamespace(ground.namespace())
                .withName("tenant")
                .get();
    }

    private static Map<String, Object> annotated(String endsAt) {
        return Map.of("metadata", Map.of("annotations", Map.of(Names.ENDS_AT, endsAt)));
    }

    /** Checks for a right to impersonate, which would give all of the above with a header. */
    @ParameterizedTest
    @MethodSource("tokens")
    void actsAsNobodyElse(String serviceAccount, TestCluster testCluster) {
        try (var thief = Identity.withTokenOf(testCluster.client(), Names.NAMESPACE, serviceAccount)) {
            for (var user : List.of("system:admin", "system:serviceaccount:kube-system:default")) {
                assertThat(thief.as(user).call("GET", POOLS + "/trainingpools").isForbidden())
                        .as(user)
                        .isTrue();
            }
        }
    }

    private static void makeTenant(TestCluster testCluster, TrainingGround ground, String... gates) {
        testCluster
                .client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("tenant")
                        .withNamespace(ground.namespace())
                        .endMetadata()
                        .addToStringData("password", "tenant's")
                        .build())
                .create();
        // No scheduler has this name, so the pod does not change during the test.
        testCluster
                .client()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("tenant")
                        .withNamespace(ground.namespace())
                        .endMetadata()
                        .withNewSpec()
                        .withSchedulerName("nobody")
                        .withSchedulingGates(
                                Stream.of(gates).map(PodSchedulingGate::new).toList())
                        .addNewContainer()
                        .withName("main")
                        .withImage("tenant")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }
}
