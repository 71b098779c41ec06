package dev.trainyard.scaler.observe;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.lifecycle.Nodes.marked;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.ReadinessSpec;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules for when pods can run on a node of a pool: {@code docs/node-readiness.md}. */
class ReadinessTest {

    private static final UnaryOperator<NodeBuilder> WAS_USABLE = marked("usable-since", "2026-01-01T11:00:00Z");

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "node.kubernetes.io/not-ready",
                "node.kubernetes.io/network-unavailable",
                "node.cloudprovider.kubernetes.io/uninitialized",
                "node.cilium.io/agent-not-ready",
                "ebs.csi.aws.com/agent-not-ready",
                "efs.csi.aws.com/agent-not-ready",
                "disk.csi.azure.com/agent-not-ready",
                "readiness.k8s.io/gpu",
                "karpenter.sh/unregistered",
                "startup-taint.cluster-autoscaler.kubernetes.io/driver",
                "ignore-taint.cluster-autoscaler.kubernetes.io/driver",
                "example.com/warming-up"
            })
    void aNodeWithATaintOfItsStartIsAwaitedAndTeachesNothing(String taint) {
        pool(readiness(List.of("example.com/warming-up"), null), "8");
        for (var name : List.of("a", "b")) {
            testCluster.node(name, "p", tainted(taint));
        }
        cloud("a", "b");
        testCluster.waiting(2, "train", "t", "nvidia.com/gpu", "8");

        assertThat(node("a").lacking()).contains("free of taint " + taint + ":NoSchedule");
        assertThat(grown(plan(testCluster))).isEmpty();
        assertThat(testCluster.snapshot().pools().get("p").template().taints()).isEmpty();
    }

    @Test
    void aNodeIsAwaitedUntilItShowsEachDeviceOfThePromise() {
        pool(null, "8", "vpc.amazonaws.com/efa", "4");
        testCluster.node("a", "p", showing("nvidia.com/gpu", "8"));
        cloud("a");
        testCluster.waiting(1, "train", "t", "nvidia.com/gpu", "8", "vpc.amazonaws.com/efa", "4");

        assertThat(node("a").lacking()).contains("reporting its 4 vpc.amazonaws.com/efa");
        assertThat(grown(plan(testCluster))).isEmpty();
        assertThat(testCluster
                        .snapshot()
                        .pools()
                        .get("p")
                        .template()
                        .allocatable()
                        .get("vpc.amazonaws.com/efa"))
                .isEqualTo(4);

        testCluster.nodes.clear();
        testCluster.node("a", "p", showing("nvidia.com/gpu", "8", "vpc.amazonaws.com/efa", "1"));
        assertThat(node("a").isComplete()).isTrue();
        assertThat(testCluster
                        .snapshot()
                        .pools()
                        .get("p")
                        .template()
                        .allocatable()
                        .get("vpc.amazonaws.com/efa"))
                .isEqualTo(1);
    }

    @Test
    void aResourceThatNodesNeverShowCountsAsPromised() {
        pool(readiness(null, List.of("nvidia.com/gpumem")), "1", "nvidia.com/gpumem", "16000");
        testCluster.node("a", "p", showing("nvidia.com/gpu", "1", "cpu", "6", "memory", "56Gi", "pods", "110"));
        cloud("a");
        testCluster.waiting(2, "train", "t", "nvidia.com/gpumem", "9000");

        assertThat(node("a").isComplete()).isTrue();
        assertThat(grown(plan(testCluster))).isEqualTo("p 1->2");
    }

    @Test
    void whatIsLeftOfANodeThatLostAGpuIsUsedAndCountsForWhatItIs() {
        pool(null, "8");
        testCluster.node(
                "a",
                "p",
                node -> showing("nvidia.com/gpu", "7", "cpu", "6", "memory", "56Gi", "pods", "110")
                        .apply(WAS_USABLE.apply(node)));
        cloud("a");
        testCluster.waiting(7, "small", "t", "nvidia.com/gpu", "1");
        assertThat(grown(plan(testCluster))).isEmpty();

        testCluster.pods.clear();
        testCluster.waiting(1, "large", "t", "nvidia.com/gpu", "8");
        assertThat(grown(plan(testCluster))).isEqualTo("p 1->2");
        assertThat(testCluster
                        .snapshot()
                        .pools()
                        .get("p")
                        .template()
                        .allocatable()
                        .gpus())
                .isEqualTo(8);
    }

    @Test
    void aNodeThatWasUsableRunsOnUnderDiskPressureAndNotIfItIsUnreachable() {
        pool(null, "8");
        testCluster
                .node(
                        "full",
                        "p",
                        node -> tainted("node.kubernetes.io/disk-pressure").apply(WAS_USABLE.apply(node)))
                .node(
                        "lost",
                        "p",
                        node -> tainted("node.kubernetes.io/unreachable").apply(WAS_USABLE.apply(node)));

        assertThat(node("full").usable()).isTrue();
        assertThat(node("lost").usable()).isFalse();
        testCluster.waiting(1, "train", "t", "nvidia.com/gpu", "1");
        assertThat(grown(plan(testCluster))).as("the taint keeps the pod off").isEqualTo("p 0->1");
    }

    private void pool(ReadinessSpec readiness, String gpus, String... more) {
        var builder = onDemand(Integer.parseInt(gpus));
        for (int i = 0; i < more.length; i += 2) {
            builder = builder.holding(more[i], more[i + 1]);
        }
        var spec = builder.spec();
        testCluster.pools.put(
                "p",
                new TrainingPoolSpec(
                        spec.provider(),
                        spec.capacityType(),
                        spec.min(),
                        spec.max(),
                        spec.spare(),
                        spec.promise(),
                        spec.hourlyPrice(),
                        spec.provisionTimeout(),
                        spec.scaleDown(),
                        readiness));
        testCluster.tier("t", "p").cloud("p", 0);
    }

    private static ReadinessSpec readiness(List<String> startupTaints, List<String> unreported) {
        return new ReadinessSpec(startupTaints, unreported);
    }

    private void cloud(String... names) {
        testCluster.cloud(
                "p",
                names.length,
                List.of(names).stream()
                        .map(name -> SnapshotFixture.machine(
                                "p", name, State.RUNNING, testCluster.now.minus(Duration.ofMinutes(1))))
                        .toArray(Machine[]::new));
    }

    private NodeView node(String name) {
        return testCluster.snapshot().nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static UnaryOperator<NodeBuilder> tainted(String key) {
        return node ->
                node.editSpec().addNewTaint("NoSchedule", key, null, null).endSpec();
    }

    private static UnaryOperator<NodeBuilder> showing(String... allocatable) {
        return node -> {
            var status = node.editStatus().withAllocatable(null);
            for (int i = 0; i < allocatable.length; i += 2) {
                status.addToAllocatable(allocatable[i], new Quantity(allocatable[i + 1]));
            }
            return status.endStatus();
        };
    }
}
