package dev.trainyard.scaler.rules;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The tests of two earlier autoscalers about growing, written again, and the numbers that their users reported. */
class ScaleUpFixturesTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void aPodThatAsksForAnotherTypeDoesNotGrowTheGroupAndAPlainOneDoes() {
        testCluster.pool("t2-medium", onDemand(0).holding("cpu", "2"));
        testCluster.pods.add(new PodBuilder(Objects.waiting("picky", null, "cpu", "1"))
                .editSpec()
                .addToNodeSelector("aws/type", "m4.large")
                .endSpec()
                .build());
        assertThat(plan(testCluster).growths()).isEmpty();

        testCluster.waiting(1, "plain", null, "cpu", "1");
        assertThat(grown(plan(testCluster))).isEqualTo("t2-medium 0->1");
    }

    @Test
    void aPodOfAHundredCoresIsExplainedAndKeepsNoOtherFromItsMachine() {
        testCluster.pool("cpu", onDemand(0)).tier("cpu", "cpu");
        testCluster.waiting(1, "huge", "cpu", "cpu", "100").waiting(1, "plain", "cpu", "cpu", "1");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("cpu 0->1");
        assertThat(unplaced(plan))
                .containsExactly("asks for cpu 100; the largest machine of tier cpu (pool cpu) has 6");
    }

    @Test
    void aGroupThatTimedOutIsNotCalled() {
        testCluster.lightGpu().cloudFails("light-spot", 0, FailureKind.QUOTA, "quota of 0 cores");
        testCluster.waiting(2, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->2");
    }

    @Test
    void theFirstInOrderGoesBeforeTheNext() {
        testCluster
                .pool("priority-minus-1", spot(1).max(5))
                .pool("priority-0", onDemand(1))
                .tier("t", "priority-minus-1", "priority-0");
        testCluster.waiting(7, "train", "t", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("priority-0 0->2, priority-minus-1 0->5");
    }

    @Test
    void aTaintedGroupGrowsOnlyForPodsThatTolerateIt() {
        testCluster.lightGpu();
        for (var name : new String[] {"first", "second"}) {
            testCluster.node(
                    name,
                    "light-spot",
                    node -> node.editSpec()
                            .addNewTaint("NoSchedule", "dedicated", null, "team-a")
                            .endSpec());
            testCluster.running("on-" + name, name, "nvidia.com/gpu", "1");
        }
        testCluster.cloud(
                "light-spot",
                2,
                SnapshotFixture.machine("light-spot", "first", State.RUNNING, Objects.NOON),
                SnapshotFixture.machine("light-spot", "second", State.RUNNING, Objects.NOON));
        testCluster.waiting(1, "plain", "light-gpu", "nvidia.com/gpu", "1");
        testCluster.pods.add(new PodBuilder(Objects.waiting("tolerant", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .addNewToleration("NoSchedule", "dedicated", "Equal", null, "team-a")
                .endSpec()
                .build());

        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->1, light-spot 2->3");
    }

    @Test
    void onePodOfOneAndAHalfCoresFitsAMachineOfTwo() {
        testCluster.pool("d2-v2", onDemand(0).holding("cpu", "2").holding("memory", "3952Mi"));
        testCluster.waiting(1, "pod", null, "cpu", "1500m", "memory", "2500Mi");

        assertThat(grown(plan(testCluster))).isEqualTo("d2-v2 0->1");
    }

    @Test
    void ofThreePodsOnOneNodeOneFitsAndTwoAreBoughtFor() {
        agentPools().waiting(3, "pod", null, "cpu", "1500m");
        testCluster.nodes.remove(1);

        assertThat(grown(plan(testCluster))).isEqualTo("agentpool1 1->3");
    }

    @Test
    void growsByOneForOnePodAndForASmallOneBesideIt() {
        agentPools().running("busy", "a1", "cpu", "1");
        testCluster.waiting(1, "pod", null, "cpu", "1500m");
        assertThat(grown(plan(testCluster))).isEqualTo("agentpool1 1->2");

        testCluster.waiting(1, "small", null, "cpu", "400m");
        assertThat(grown(plan(testCluster))).isEqualTo("agentpool1 1->2");
    }

    @Test
    void growsByTwoWhenThePodBesideItIsTooLarge() {
        agentPools().running("busy", "a1", "cpu", "1600m");
        testCluster.waiting(1, "pod", null, "cpu", "1500m").waiting(1, "larger", null, "cpu", "600m");

        assertThat(grown(plan(testCluster))).isEqualTo("agentpool1 1->3");
    }

    @Test
    void fortyAtOnceAreOneRequest() {
        testCluster.lightGpu().waiting(40, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(plan(testCluster).growths())
                .singleElement()
                .extracting(Growth::machines)
                .isEqualTo(40);
    }

    @Test
    void aHundredAndFiftyPodsAgainstAMaximumOfAHundred() {
        testCluster.pool("light", onDemand(1)).tier("t", "light").waiting(150, "train", "t", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("light 0->100");
        assertThat(unplaced(plan))
                .hasSize(50)
                .allMatch(message -> message.equals("pool light can add 100 of the 150 machines needed (maximum 100)"));
    }

    @Test
    void twoHundredPodsOfThirtyToAMachineAreSevenUnitsAndTheMaximumClampsThem() {
        testCluster.pool("nginx", onDemand(0).holding("pods", "30").max(10)).tier("t", "nginx");
        testCluster.waiting(200, "nginx", "t");
        assertThat(needed(plan(testCluster))).isEqualTo("units_needed 7, units_requested 7");

        testCluster
                .cloud("nginx", 1, SnapshotFixture.machine("nginx", "n1", State.RUNNING, Objects.NOON))
                .node("n1", "nginx");
        IntStream.range(0, 30).forEach(i -> testCluster.running("busy-" + i, "n1"));
        assertThat(grown(plan(testCluster))).as("Desired 8, currently at 1").isEqualTo("nginx 1->8");

        var machines = IntStream.range(0, 5)
                .mapToObj(i -> SnapshotFixture.machine("nginx", "m" + i, State.CREATING, Objects.NOON))
                .toArray(Machine[]::new);
        testCluster.nodes.clear();
        testCluster.pool("nginx", onDemand(0).holding("pods", "30").max(10)).cloud("nginx", 5, machines);
        testCluster.waiting(180, "more", "t");
        assertThat(needed(plan(testCluster))).isEqualTo("units_needed 8, units_requested 5");
    }

    @Test
    void aPoolThatNeverHadANodeGrowsByItsPromiseAlone() {
        testCluster.lightGpu();
        testCluster.pods.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .addToNodeSelector("type", "spot")
                .endSpec()
                .build());

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    /** Returns a cluster with a machine of two cores in one pool, and a machine with a GPU in another pool. */
    private SnapshotFixture agentPools() {
        return testCluster
                .pool("agentpool1", onDemand(0).holding("cpu", "2"))
                .pool("agentpool2", onDemand(1))
                .node("a1", "agentpool1")
                .node("a2", "agentpool2")
                .cloud("agentpool1", 1, SnapshotFixture.machine("agentpool1", "a1", State.RUNNING, Objects.NOON))
                .cloud("agentpool2", 1, SnapshotFixture.machine("agentpool2", "a2", State.RUNNING, Objects.NOON));
    }

    private static String needed(Plan plan) {
        var growth = plan.growths().get(0);
        return "units_needed %d, units_requested %d".formatted(growth.wanted(), growth.machines());
    }
}
