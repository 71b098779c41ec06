package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real kube-scheduler's reaction to a pod that the extender nudges, and the API server's limits on the extender's changes. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class NudgeIT {

    private static final String OURS = "nudge-it";
    private static final String SENT = "trainyard_extender_nudges_total{outcome=\"sent\"}";

    private static TestSchedulers testCluster;

    private final List<HasMetadata> made = new ArrayList<>();

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.start(controlPlane, client, "nudge-it");
    }

    @AfterAll
    static void stop() {
        testCluster.close();
    }

    @AfterEach
    void remove(KubernetesClient client) {
        made.forEach(object -> client.resource(object).withGracePeriod(0).delete());
    }

    @Test
    void aPodIsPlacedWithinSecondsOfItsTiersNamingThePoolOfANodeThatIsThere(
            KubernetesClient client, Namespace namespace) throws Exception {
        pool(client, "nudge-mine");
        pool(client, "nudge-other");
        tier(client, "nudge-mine");
        node(client, "nudge-other");
        var pod = make(client, pod(namespace, "nudge"));
        client.pods()
                .resource(pod)
                .waitUntilCondition(
                        found -> found.getStatus().getConditions().stream()
                                .anyMatch(condition -> String.valueOf(condition.getMessage())
                                        .contains("1 node(s) of a pool outside the pod's tier")),
                        30,
                        TimeUnit.SECONDS);
        var before = testCluster.extender().metric(SENT);
        assertThat(testCluster.extender().metric("trainyard_extender_waiting_pods"))
                .isEqualTo(1);

        tier(client, "nudge-mine", "nudge-other");
        var placed = client.pods()
                .resource(pod)
                .waitUntilCondition(found -> found.getSpec().getNodeName() != null, 20, TimeUnit.SECONDS);

        assertThat(placed.getSpec().getNodeName()).isEqualTo("nudge-node");
        assertThat(placed.getMetadata().getAnnotations()).containsKey(Names.NUDGED);
        assertThat(testCluster.extender().metric(SENT)).as("one nudge will do").isEqualTo(before + 1);
        TrainingGround.awaitTrue("it is not waited for any more", () -> waitingPods() == 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"evil\"}]}}",
                "{\"spec\":{\"activeDeadlineSeconds\":1}}",
                "{\"metadata\":{\"labels\":{\"stolen\":\"true\"}}}",
                "{\"metadata\":{\"finalizers\":[\"trainyard.dev/stuck\"]}}",
                "{\"metadata\":{\"annotations\":{\"trainyard.dev/tier\":\"another\"}}}",
                "{\"metadata\":{\"annotations\":{\"trainyard.dev/tier\":null}}}",
                "{\"metadata\":{\"annotations\":{\"other\":\"new\",\"trainyard.dev/nudged\":\"now\"}}}",
                "{\"metadata\":{\"annotations\":{\"trainyard.dev/nudged\":\"0123456789012345678901234567890123456789012345678901234567890123+\"}}}"
            })
    void theExtenderMayChangeNothingElseOfAPod(
            String patch, ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        var pod = make(client, pod(namespace, "theirs"));
        try (var asExtender = KubernetesClients.open(
                controlPlane.kubeconfigFor(TestSchedulers.SERVICE_ACCOUNT, List.of("system:serviceaccounts")))) {
            var ours = asExtender.pods().resource(pod);
            TrainingGround.awaitTrue("the policy is in force", () -> isRefused(asExtender, pod));

            assertThatThrownBy(() -> ours.patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch))
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining(
                            "the extender may change nothing of a pod but the annotation trainyard.dev/nudged");
            ours.patch(
                    PatchContext.of(PatchType.JSON_MERGE),
                    "{\"metadata\":{\"annotations\":{\"trainyard.dev/nudged\":\"now\"}}}");
        }
        var after = client.pods().resource(pod).get();
        assertThat(after.getMetadata().getAnnotations())
                .containsEntry(Names.NUDGED, "now")
                .containsEntry(Names.TIER, "nudge")
                .hasSize(2);
        assertThat(after.getSpec().getContainers().get(0).getImage()).isEqualTo("tensorflow");
        assertThatThrownBy(
                        () -> client.pods()
                                .resource(pod)
                                .patch(
                                        PatchContext.of(PatchType.JSON_MERGE),
                                        "{\"metadata\":{\"uid\":\"of-another\",\"annotations\":{\"trainyard.dev/nudged\":\"then\"}}}"))
                .as("a pod of the same name is left alone, in the way that PodNudge expects")
                .isInstanceOfSatisfying(KubernetesClientException.class, e -> {
                    assertThat(e.getCode()).isEqualTo(422);
                    assertThat(e.getStatus().getDetails().getCauses())
                            .anyMatch(cause -> cause.getField().equals("metadata.uid"));
                });
    }

    /** Covers the right to write the status of pods, which is the scheduler's. The extender has it because they share a ServiceAccount. */
    @Test
    void withAPodsStatusNothingElseOfItChanges(
            ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        var pod = make(client, pod(namespace, "status"));
        try (var asScheduler = KubernetesClients.open(
                controlPlane.kubeconfigFor(TestSchedulers.SERVICE_ACCOUNT, List.of("system:serviceaccounts")))) {
            TrainingGround.awaitTrue("the policy is in force", () -> isRefused(asScheduler, pod));
            var status = asScheduler.pods().resource(pod).subresource("status");

            for (var patch : List.of(
                    "{\"metadata\":{\"labels\":{\"stolen\":\"true\"}}}",
                    "{\"metadata\":{\"annotations\":{\"trainyard.dev/tier\":\"another\"}}}")) {
                assertThatThrownBy(() -> status.patch(PatchContext.of(PatchType.JSON_MERGE), patch))
                        .isInstanceOf(KubernetesClientException.class)
                        .hasMessageContaining("the extender may change nothing of a pod");
            }
            status.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{\"message\":\"seen\"}}");
        }
        assertThat(client.pods().resource(pod).get().getStatus().getMessage()).isEqualTo("seen");
    }

    @Test
    void theExtenderMayNotNudgePodsThatHaveANodeOrAreAnotherSchedulers(
            ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        var placed = make(
                client,
                new PodBuilder(pod(namespace, "placed"))
                        .editSpec()
                        .withNodeName("nowhere")
                        .endSpec()
                        .build());
        var others = make(
                client,
                new PodBuilder(pod(namespace, "others"))
                        .editSpec()
                        .withSchedulerName("another-scheduler")
                        .endSpec()
                        .build());
        try (var asExtender = KubernetesClients.open(
                controlPlane.kubeconfigFor(TestSchedulers.SERVICE_ACCOUNT, List.of("system:serviceaccounts")))) {
            TrainingGround.awaitTrue("the policy is in force", () -> isRefused(asExtender, others));
            for (var pod : List.of(placed, others)) {
                assertThatThrownBy(() -> asExtender
                                .pods()
                                .resource(pod)
                                .patch(
                                        PatchContext.of(PatchType.JSON_MERGE),
                                        "{\"metadata\":{\"annotations\":{\"trainyard.dev/nudged\":\"now\"}}}"))
                        .as(pod.getMetadata().getName())
                        .isInstanceOf(KubernetesClientException.class)
                        .hasMessageContaining("only while the pod waits for trainyard-scheduler");
            }
        }
    }

    private static boolean isRefused(KubernetesClient asExtender, Pod pod) {
        try {
            asExtender
                    .pods()
                    .resource(pod)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"labels\":{\"probe\":null}}}");
            asExtender
                    .pods()
                    .resource(pod)
                    .patch(
                            new PatchContext.Builder()
                                    .withPatchType(PatchType.JSON_MERGE)
                                    .withDryRun(List.of("All"))
                                    .build(),
                            "{\"metadata\":{\"labels\":{\"probe\":\"true\"}}}");
            return false;
        } catch (KubernetesClientException e) {
            return e.getMessage().contains("may change nothing");
        }
    }

    private static double waitingPods() {
        return testCluster.extender().metric("trainyard_extender_waiting_pods");
    }

    private void pool(KubernetesClient client, String name) {
        made.add(client.resource("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {}}
                  capacityType: spot
                  promise: {allocatable: {cpu: "24", memory: 448Gi, nvidia.com/gpu: "4"}}
                """.formatted(name)).create());
    }

    private void tier(KubernetesClient client, String... pools) {
        made.add(client.resource("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: nudge}
                spec: {pools: [%s]}
                """.formatted(String.join(", ", pools))).serverSideApply());
    }

    private void node(KubernetesClient client, String pool) {
        make(
                client,
                new NodeBuilder()
                        .withNewMetadata()
                        .withName("nudge-node")
                        .addToLabels(OURS, "true")
                        .addToLabels(Names.POOL, pool)
                        .endMetadata()
                        .withNewStatus()
                        .withAllocatable(Map.of(
                                "cpu", new Quantity("24"),
                                "memory", new Quantity("448Gi"),
                                "pods", new Quantity("110"),
                                "nvidia.com/gpu", new Quantity("4")))
                        .endStatus()
                        .build());
        client.nodes()
                .withName("nudge-node")
                .waitUntilCondition(
                        found -> found != null
                                && found.getSpec().getTaints().isEmpty()
                                && Stream.ofNullable(found.getStatus().getConditions())
                                        .flatMap(List::stream)
                                        .anyMatch(condition -> Objects.equals(condition.getType(), "Ready")
                                                && Objects.equals(condition.getStatus(), "True")),
                        30,
                        TimeUnit.SECONDS);
    }

    private <T extends HasMetadata> T make(KubernetesClient client, T object) {
        var created = client.resource(object).create();
        made.add(0, created);
        return created;
    }

    private static Pod pod(Namespace namespace, String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace.getMetadata().getName())
                .addToAnnotations(Names.TIER, "nudge")
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(Names.SCHEDULER)
                .addToNodeSelector(OURS, "true")
                .addNewContainer()
                .withName("main")
                .withImage("tensorflow")
                .endContainer()
                .endSpec()
                .build();
    }
}
