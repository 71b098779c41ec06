package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** No pod is evicted from a node that the extender would then refuse. */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class PreemptionIT {

    private static TestSchedulers testCluster;

    private TestFleet fleet;

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        testCluster = TestSchedulers.start(controlPlane, client, "preemption-it");
    }

    @AfterAll
    static void stop() {
        testCluster.close();
    }

    @BeforeEach
    void open(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        fleet = new TestFleet(controlPlane, client, namespace);
        fleet.priorityClass("it-high", 1000);
        fleet.priorityClass("it-middle", 500);
        fleet.pool("it-mine", 2);
        fleet.pool("it-other", 2);
        fleet.tier("it-mine", "it-mine");
        fleet.tier("it-other", "it-other");
    }

    @AfterEach
    void remove() {
        fleet.close();
    }

    @Test
    void evictsNobodyFromANodeThatThePodMayNotHave() {
        fleet.node("it-other", "it-other", 2);
        var others = fill("it-other", "it-other", null);
        double asked = timesAskedToPreempt();

        var urgent = fleet.make(named("urgent").gpus(2).tier("it-mine").priority("it-high"));
        // The scheduler sets this condition after it has tried preemption.
        fleet.condition(urgent, "1 Insufficient nvidia.com/gpu");
        assertStillThere(others);
        assertThat(fleet.read(urgent).getStatus().getNominatedNodeName()).isNull();
        assertThat(timesAskedToPreempt()).as("the extender was asked").isGreaterThan(asked);

        fleet.node("it-mine", "it-mine", 2);
        assertThat(fleet.nodeOf(urgent)).isEqualTo("it-mine");
        assertStillThere(others);
    }

    @Test
    void evictsFromTheNodeThatThePodMayHaveAlthoughItCostsMore() {
        fleet.node("it-mine", "it-mine", 2);
        fleet.node("it-other", "it-other", 2);
        var others = fill("it-other", "it-other", null);
        var mine = fill("it-mine", "it-mine", "it-middle");

        var urgent = fleet.make(named("urgent").gpus(2).tier("it-mine").priority("it-high"));
        assertThat(fleet.nodeOf(urgent)).isEqualTo("it-mine");
        assertStillThere(others);
        assertThat(mine).allMatch(this::isEvicted);
    }

    @Test
    void evictsNobodyForAWishThatTheNodeDoesNotMeet() {
        fleet.node("it-k80", 2, Map.of(GpuKind.PRODUCT_LABEL, "Tesla-K80"));
        fleet.node("it-v100", 2, Map.of(GpuKind.PRODUCT_LABEL, "Tesla-V100-PCIE-16GB"));
        var onV100 = fleet.make(
                named("on-v100").gpus(2).annotated("gpu-product", "V100").priority("it-middle"));
        assertThat(fleet.nodeOf(onV100)).isEqualTo("it-v100");
        var onK80 = fleet.make(named("on-k80").gpus(2));
        assertThat(fleet.nodeOf(onK80)).isEqualTo("it-k80");

        var urgent = fleet.make(
                named("urgent").gpus(1).annotated("gpu-product", "V100").priority("it-high"));
        assertThat(fleet.nodeOf(urgent)).isEqualTo("it-v100");
        assertStillThere(List.of(onK80));
    }

    /** Creates two pods that use both GPUs of the node. */
    private List<Pod> fill(String node, String tier, String priority) {
        var pods = new ArrayList<Pod>();
        for (int number = 0; number < 2; number++) {
            var pod = fleet.make(
                    named("on-" + node + "-" + number).gpus(1).tier(tier).priority(priority));
            assertThat(fleet.nodeOf(pod)).isEqualTo(node);
            pods.add(pod);
        }
        return pods;
    }

    private void assertStillThere(List<Pod> pods) {
        assertThat(pods.stream()
                        .filter(this::isEvicted)
                        .map(pod -> pod.getMetadata().getName())
                        .toList())
                .as("evicted")
                .isEmpty();
    }

    private boolean isEvicted(Pod pod) {
        var found = fleet.read(pod);
        return found == null || found.getMetadata().getDeletionTimestamp() != null;
    }

    private static double timesAskedToPreempt() {
        return testCluster.extender().metric("trainyard_extender_calls_seconds_count{verb=\"preempt\"}");
    }
}
