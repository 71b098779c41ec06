package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import dev.trainyard.runtime.resource.TrainingCluster;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All rules of the extender's filter with a real scheduler: the user's message, the scaler's report, and the remedy. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class ExtenderFilterIT {

    private static final String KEPT =
            "trainyard_extender_refusals_total{reason=\"node(s) kept for pods that ask for GPUs\"}";

    /** The reasons whose scenes change a node that the schedulers know already. */
    private static final Set<FilterRefusal> NODE_CHANGES =
            EnumSet.of(FilterRefusal.REMOVING, FilterRefusal.RECLAIM_ANNOUNCED, FilterRefusal.SICK);

    private static TestSchedulers testCluster;

    private TestFleet fleet;
    private KubernetesClient client;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.start(controlPlane, client, "filter-it");
    }

    @AfterAll
    static void stop() {
        testCluster.close();
    }

    @BeforeEach
    void open(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        fleet = new TestFleet(controlPlane, client, namespace);
        this.client = client;
        fleet.pool("it-mine", 4);
        fleet.pool("it-other", 4);
        fleet.tier("it-mine", "it-mine");
    }

    @AfterEach
    void remove() {
        fleet.close();
    }

    @ParameterizedTest
    @EnumSource
    void tellsWhyAPodMayNotHaveTheNodeThatThereIs(FilterRefusal refusal) throws Exception {
        var scene = scene(refusal);
        var words = "1 " + refusal.reason();
        var pod = NODE_CHANGES.contains(refusal) ? makeRefused(scene.pod(), words) : fleet.make(scene.pod());

        var condition = fleet.condition(pod, words);
        assertThat(condition.getStatus()).isEqualTo("False");
        assertThat(condition.getReason()).isEqualTo("Unschedulable");
        Golden.line("describe-refused-pod.txt", refusal.name(), normal(fleet.described(pod, words)));
        var report = testCluster.reportOf(pod, reasons -> true);
        assertThat(report.name()).isEqualTo("unplaced");
        assertThat(report.reasons()).isEqualTo(Map.of(refusal.reason(), 1));

        scene.cure().run();
        assertThat(fleet.nodeOf(pod)).isEqualTo(scene.place());
    }

    @Test
    void countsTheNodesOfEachReason() {
        for (var node : List.of("it-outside-a", "it-outside-b")) {
            fleet.node(node, "it-other", 4);
        }
        fleet.node("it-going", "it-mine", 4);
        fleet.edit("it-going", node -> removing(node, true, false));
        fleet.node("it-small", "it-mine", 1);

        var pod = fleet.make(named("unplaced").gpus(2).tier("it-mine"));
        assertThat(fleet.condition(pod, "being removed").getMessage())
                .startsWith("0/")
                .contains("1 Insufficient nvidia.com/gpu")
                .contains("1 node(s) being removed")
                .contains("2 node(s) of a pool outside the pod's tier")
                .contains("Preemption is not helpful for scheduling");
    }

    @Test
    void givesAMachineBackWhenTheScalerChangesItsMind() {
        fleet.node("it-back", "it-mine", 4);
        fleet.edit("it-back", node -> removing(node, true, true));
        var pod = fleet.make(named("waits-for-machine").gpus(1).tier("it-mine"));
        fleet.condition(pod, "1 node(s) were unschedulable");

        // Kubernetes removes the cordon's taint a moment after this edit. Until then the scheduler does not call the
        // extender, so the extender's index has the edit in time.
        fleet.edit("it-back", node -> removing(node, false, false));
        assertThat(fleet.nodeOf(pod)).isEqualTo("it-back");
    }

    @Test
    void placesAPodAsSoonAsTheDriverOfANewMachineIsUp() {
        for (int number = 0; number < 10; number++) {
            var node = "it-new-" + number;
            fleet.node(node, "it-mine", 0);
            var pod = fleet.make(named("waits-for-driver-" + number).gpus(4).tier("it-mine"));
            fleet.condition(pod, "Insufficient nvidia.com/gpu");

            fleet.reportGpus(node, 4);
            assertThat(fleet.nodeOf(pod)).isEqualTo(node);
        }
    }

    @Test
    void takesAPoolsPromiseForWhatItsNodesDoNotSay() {
        fleet.pool("it-v100", 1, Map.of(GpuKind.PRODUCT_LABEL, "Tesla-V100-PCIE-16GB", GpuKind.MEMORY_LABEL, "16384"));
        fleet.pool("it-k80", 1, Map.of(GpuKind.PRODUCT_LABEL, "Tesla-K80", GpuKind.MEMORY_LABEL, "11441"));
        fleet.node("it-k80", "it-k80", 1);
        var product = fleet.make(named("product").gpus(1).annotated("gpu-product", "V100"));
        fleet.condition(product, "1 node(s) without a GPU of the requested product");
        var memory = fleet.make(named("memory").gpus(1).annotated("gpu-memory", "12Gi"));
        fleet.condition(memory, "1 node(s) whose GPUs have less memory than requested");

        fleet.node("it-v100-a", "it-v100", 1);
        fleet.node("it-v100-b", "it-v100", 1);
        assertThat(List.of(fleet.nodeOf(product), fleet.nodeOf(memory)))
                .containsExactlyInAnyOrder("it-v100-a", "it-v100-b");
        assertThat(fleet.nodeOf(fleet.make(named("either").gpus(1).annotated("gpu-product", "P100|K80"))))
                .isEqualTo("it-k80");
    }

    @Test
    void letsCpuPodsHaveGpuNodesAsItIsToldTo() throws Exception {
        fleet.node("it-gpus", 4);
        try {
            set(CpuPodsOnGpuNodes.LAST);
            assertThat(fleet.nodeOf(fleet.make(named("last-resort")))).isEqualTo("it-gpus");
            fleet.node("it-plain", 0);
            assertThat(fleet.nodeOf(fleet.make(named("last-choice")))).isEqualTo("it-plain");
            assertThat(testCluster.extender().metric(KEPT)).isEqualTo(1);

            set(CpuPodsOnGpuNodes.ALWAYS);
            fleet.nodeOf(fleet.make(named("anywhere")));
            assertThat(testCluster.extender().metric(KEPT)).isZero();
        } finally {
            client.resources(TrainingCluster.class).delete();
            testCluster.extender().restart(options -> options);
        }
        var never = fleet.make(named("never"));
        assertThat(fleet.nodeOf(never)).isEqualTo("it-plain");
        assertThat(testCluster.extender().metric(KEPT)).isEqualTo(1);
    }

    /**
     * Makes a pod that the extender refuses because its node has changed. The scheduler may see the change before the extender does, and
     * then places the pod. In that case the pod is made again.
     */
    private Pod makeRefused(TestPod pod, String words) {
        for (int attempt = 0; attempt < 10; attempt++) {
            var made = fleet.make(pod);
            if (fleet.isRefused(made, words)) {
                return made;
            }
            fleet.delete(made);
        }
        throw new AssertionError(
                "the scheduler has placed the pod 10 times, although the expected reason is: " + words);
    }

    private void set(CpuPodsOnGpuNodes cpuPods) throws Exception {
        var settings = new TrainingCluster();
        settings.setMetadata(
                new ObjectMetaBuilder().withName(TrainingCluster.NAME).build());
        settings.setSpec(new TrainingClusterSpec(cpuPods));
        client.resource(settings).serverSideApply();
        testCluster.extender().restart(options -> options);
    }

    /**
     * A case in which the only node is refused for the pod.
     *
     * @param cure makes the node {@code place} acceptable for the pod
     */
    private record Scene(TestPod pod, Runnable cure, String place) {}

    /** Sets the condition by which the monitoring agent of EKS says whether the hardware works, as of long ago. */
    private void hardware(String node, String status) {
        client.nodes()
                .withName(node)
                .editStatus(found -> new NodeBuilder(found)
                        .editStatus()
                        .removeMatchingFromConditions(
                                condition -> condition.getType().equals("AcceleratedHardwareReady"))
                        .addNewCondition()
                        .withType("AcceleratedHardwareReady")
                        .withStatus(status)
                        .withLastTransitionTime("2026-01-01T00:00:00Z")
                        .endCondition()
                        .endStatus()
                        .build());
    }

    /** Sets the condition by which AKS announces the reclaim of a spot machine. */
    private void preemption(String node, String status) {
        client.nodes()
                .withName(node)
                .editStatus(found -> new NodeBuilder(found)
                        .editStatus()
                        .removeMatchingFromConditions(
                                condition -> condition.getType().equals("PreemptionScheduled"))
                        .addNewCondition()
                        .withType("PreemptionScheduled")
                        .withStatus(status)
                        .withMessage("Preempt Started: .")
                        .endCondition()
                        .endStatus()
                        .build());
    }

    private Scene scene(FilterRefusal refusal) {
        var gpuPod = named("unplaced").gpus(1);
        return switch (refusal) {
            case REMOVING -> {
                fleet.node("it-node", "it-mine", 4);
                fleet.edit("it-node", node -> removing(node, true, false));
                yield new Scene(
                        gpuPod.tier("it-mine"),
                        () -> fleet.edit("it-node", node -> removing(node, false, false)),
                        "it-node");
            }
            case RECLAIM_ANNOUNCED -> {
                fleet.node("it-node", "it-mine", 4);
                preemption("it-node", "True");
                yield new Scene(gpuPod.tier("it-mine"), () -> preemption("it-node", "False"), "it-node");
            }
            case SICK -> {
                fleet.node("it-node", "it-mine", 4);
                hardware("it-node", "False");
                yield new Scene(gpuPod.tier("it-mine"), () -> hardware("it-node", "True"), "it-node");
            }
            case OUTSIDE_TIER -> {
                fleet.node("it-node", "it-other", 4);
                yield new Scene(gpuPod.tier("it-mine"), () -> fleet.node("it-mine", "it-mine", 4), "it-mine");
            }
            case NOT_LABELLED -> {
                fleet.node("it-node", 4);
                yield new Scene(gpuPod.tier("it-mine"), () -> fleet.label("it-node", Names.POOL, "it-mine"), "it-node");
            }
            case KEPT_FOR_GPU_PODS -> {
                fleet.node("it-node", 4);
                yield new Scene(named("unplaced"), () -> fleet.node("it-plain", 0), "it-plain");
            }
            case GPUS_NOT_REPORTED -> {
                fleet.node("it-node", "it-mine", 0);
                yield new Scene(
                        named("unplaced").tier("it-mine").annotated("gpu-milli", "500"),
                        () -> fleet.reportGpus("it-node", 4),
                        "it-node");
            }
            case MALFORMED_WISH -> {
                fleet.node("it-node", 4, Map.of(GpuKind.PRODUCT_LABEL, "Tesla-V100-PCIE-16GB"));
                yield new Scene(
                        gpuPod.annotated("gpu-product", "V100, please"),
                        () -> fleet.annotate("unplaced", "gpu-product", "V100"),
                        "it-node");
            }
            case OTHER_PRODUCT -> {
                fleet.node("it-node", 4, Map.of(GpuKind.PRODUCT_LABEL, "Tesla-K80"));
                yield new Scene(
                        gpuPod.annotated("gpu-product", "V100|A100"),
                        () -> fleet.label("it-node", GpuKind.PRODUCT_LABEL, "NVIDIA-A100-SXM4-40GB"),
                        "it-node");
            }
            case TOO_LITTLE_MEMORY -> {
                fleet.node("it-node", 4, Map.of(GpuKind.MEMORY_LABEL, "11441"));
                yield new Scene(
                        gpuPod.annotated("gpu-memory", "16Gi"),
                        () -> fleet.label("it-node", GpuKind.MEMORY_LABEL, "16384"),
                        "it-node");
            }
            case UNKNOWN_KIND -> {
                fleet.node("it-node", 4);
                yield new Scene(
                        gpuPod.annotated("gpu-product", "V100"),
                        () -> fleet.label("it-node", GpuKind.PRODUCT_LABEL, "Tesla-V100-PCIE-16GB"),
                        "it-node");
            }
        };
    }

    /** Marks a node as the scaler does: annotated, and cordoned at the same time. */
    private static Node removing(Node node, boolean removing, boolean cordoned) {
        var marked = new NodeBuilder(node)
                .editSpec()
                .withUnschedulable(cordoned ? true : null)
                .endSpec();
        return (removing
                        ? marked.editMetadata()
                                .addToAnnotations("trainyard.dev/removing", "")
                                .endMetadata()
                        : marked.editMetadata()
                                .removeFromAnnotations("trainyard.dev/removing")
                                .endMetadata())
                .build();
    }

    /** Removes the varying parts of an Event: its age, and nodes of other tests. */
    private static String normal(String event) {
        return event.strip()
                .replaceAll(
                        "\\s\\s+\\S*( \\(x\\d+ over \\S+\\))?\\s\\s+trainyard-scheduler\\s+",
                        " AGE trainyard-scheduler ")
                .replaceAll("\\s\\s+", " ")
                .replaceAll("0/\\d+ nodes", "0/N nodes")
                .replaceAll("\\d+ node\\(s\\) didn't match Pod's node affinity/selector, ", "");
    }
}
