package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.lifecycle.Nodes;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The supply that is used before machines are requested. */
class PlannerSupplyTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void buysNoSecondMachineWhileTheDriverOfTheFirstIsBeingInstalled() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus())
                .later(Duration.ofMinutes(12));

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-train-1").message())
                .isEqualTo("a machine of pool light-spot is provisioning");
        assertThat(plan.reserved()).containsExactly("m1");
    }

    /** The scaler does not annotate exempt nodes, so no annotation says when the scaler first saw this node. */
    @Test
    void awaitsAnExemptNodeNoLongerThanTheProvisionTimeout() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editMetadata()
                                .addToAnnotations("trainyard.dev/do-not-disrupt", "true")
                                .endMetadata()
                                .editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus());

        assertThat(plan(testCluster.later(Duration.ofMinutes(12))).growths()).isEmpty();
        assertThat(plan(testCluster.later(Duration.ofMinutes(30))).growths()).hasSize(1);
    }

    /** The extender keeps pods of a tier off such machines, so their free resources are no supply for these pods. */
    @Test
    void roomOnAMachineOfAPoolThatTheTierDoesNotNameIsNone() {
        testCluster
                .pool("ours", onDemand(1))
                .pool("theirs", onDemand(1))
                .tier("t", "ours")
                .waiting(1, "train", "t", "nvidia.com/gpu", "1");
        testCluster
                .cloud("theirs", 1, SnapshotFixture.machine("theirs", "n1", State.RUNNING, Objects.NOON))
                .node("n1", "theirs");

        var plan = plan(testCluster);

        assertThat(plan.growths()).extracting(growth -> growth.pool().name()).containsExactly("ours");
        assertThat(plan.outcomes().get("uid-train-1")).isInstanceOf(Outcome.Growing.class);
    }

    @Test
    void usesFreeNodesInTheOrderOfTheTierWhenNobodyLabelledThem() {
        testCluster
                .lightGpu()
                .unlabelledNode("a-ondemand", "light-ondemand")
                .unlabelledNode("b-spot", "light-spot")
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(plan(testCluster).outcomes().get("uid-train-1").message())
                .startsWith("node b-spot has room for the pod");
    }

    /** The pool's promise does not help here: both pools promise the same labels. */
    @Test
    void knowsAnUnlabelledNodesPoolByItsMachine() {
        testCluster
                .pool("ours", onDemand(1))
                .pool("theirs", onDemand(1))
                .tier("t", "ours")
                .waiting(1, "train", "t", "nvidia.com/gpu", "1");
        testCluster
                .cloud("theirs", 1, SnapshotFixture.machine("theirs", "a", State.RUNNING, Objects.NOON))
                .unlabelledNode("a", "theirs")
                .cloud("ours", 1, SnapshotFixture.machine("ours", "b", State.RUNNING, Objects.NOON))
                .unlabelledNode("b", "ours");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-train-1").message()).startsWith("node b has room for the pod");
    }

    @Test
    void leavesToSomebodysLabelWhichPoolANodeIsOf() {
        testCluster.pool("ours", onDemand(1)).pool("theirs", onDemand(1)).tier("t", "ours");
        testCluster
                .cloud("ours", 1, SnapshotFixture.machine("ours", "n", State.RUNNING, Objects.NOON))
                .node(
                        "n",
                        "ours",
                        node -> node.editMetadata()
                                .addToLabels("trainyard.dev/pool", "theirs")
                                .endMetadata());

        assertThat(testCluster.snapshot().nodes().get(0).pool().orElseThrow().name())
                .isEqualTo("theirs");
    }

    @Test
    void podsOfATierThatNamesAGpuPoolStayServedWhenTheirUnlabelledMachineJoins() {
        testCluster.pool("light", onDemand(1)).tier("t", "light").waiting(1, "spark", "t", "cpu", "3");
        assertThat(grown(plan(testCluster))).isEqualTo("light 0->1");

        testCluster
                .cloud("light", 1, SnapshotFixture.machine("light", "n", State.RUNNING, Objects.NOON))
                .unlabelledNode("n", "light");

        assertThat(plan(testCluster).growths()).isEmpty();
    }

    @Test
    void countsGpuNodesForPodsWithoutGpusAsTheSettingSays() {
        testCluster
                .pool("cpu", onDemand(0))
                .pool("gpu", onDemand(1))
                .node("g", "gpu")
                .waiting(1, "spark", null, "cpu", "3");
        assertThat(grown(plan(testCluster))).isEqualTo("cpu 0->1");

        testCluster.cpuPodsOnGpuNodes = CpuPodsOnGpuNodes.LAST;
        assertThat(plan(testCluster).reserved()).containsExactly("g");
        assertThat(plan(testCluster).growths()).isEmpty();

        testCluster.node("c", "cpu");
        assertThat(plan(testCluster).reserved()).as("the other node first").containsExactly("c");
    }

    @Test
    void launchesNoGpuMachineForPodsThatUseGpuNodesAsALastResort() {
        testCluster.pool("gpu", onDemand(1)).waiting(1, "spark", null, "cpu", "3");
        testCluster.cpuPodsOnGpuNodes = CpuPodsOnGpuNodes.LAST;
        assertThat(plan(testCluster).growths()).isEmpty();

        testCluster.cpuPodsOnGpuNodes = CpuPodsOnGpuNodes.ALWAYS;
        assertThat(grown(plan(testCluster))).isEqualTo("gpu 0->1");
    }

    @Test
    void countsGpuNodesOfNoPoolForPodsThatRequestGpusOnly() {
        testCluster.pool("cpu", onDemand(0)).pool("gpu", onDemand(1));
        testCluster.node("a", "gpu", PlannerSupplyTest::stray).node("b", "cpu", PlannerSupplyTest::stray);
        testCluster.waiting(1, "train", null, "nvidia.com/gpu", "1").waiting(1, "spark", null, "cpu", "3");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-train-1").message()).startsWith("node a has room");
        assertThat(plan.outcomes().get("uid-spark-1").message()).startsWith("node b has room");
    }

    private static NodeBuilder stray(NodeBuilder node) {
        return node.editMetadata().withLabels(Map.of()).endMetadata();
    }

    @Test
    void buysNoSecondMachineWhileANodeThatIsReadyStillBearsTheTaintOfOneThatIsNot() {
        testCluster.pool("cpu", onDemand(0)).tier("cpu", "cpu").waiting(1, "spark", "cpu", "cpu", "3");
        testCluster
                .cloud("cpu", 1, SnapshotFixture.machine("cpu", "n1", State.RUNNING, Objects.NOON))
                .node(
                        "n1",
                        "cpu",
                        node -> node.editSpec()
                                .addNewTaint("NoSchedule", "node.kubernetes.io/not-ready", null, null)
                                .endSpec());

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-spark-1")).isInstanceOf(Outcome.Upcoming.class);
    }

    @Test
    void doesNotReckonWithANodeThatWasUsableAndIsNotAnyMore() {
        testCluster.pool("cpu", onDemand(0)).tier("cpu", "cpu").waiting(1, "spark", "cpu", "cpu", "3");
        testCluster
                .cloud("cpu", 1, SnapshotFixture.machine("cpu", "n1", State.RUNNING, Objects.NOON))
                .node(
                        "n1",
                        "cpu",
                        node -> node.editMetadata()
                                .addToAnnotations("trainyard.dev/usable-since", Objects.NOON.toString())
                                .endMetadata()
                                .editSpec()
                                .addNewTaint("NoSchedule", "node.kubernetes.io/not-ready", null, null)
                                .endSpec());

        assertThat(grown(plan(testCluster))).isEqualTo("cpu 1->2");
    }

    @Test
    void usesFreeNodesBeforeMachinesOnTheirWayBeforeNewOnes() {
        testCluster
                .lightGpu()
                .node("n1", "light-ondemand")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.CREATING, Objects.NOON))
                .waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(plan.outcomes().get("uid-train-1").message())
                .isEqualTo("node n1 has room for the pod; the scheduler last reported: 0/1 nodes are available");
        assertThat(plan.outcomes().get("uid-train-2")).isInstanceOf(Outcome.Upcoming.class);
        assertThat(grown(plan)).isEqualTo("light-spot 1->2");
    }

    @Test
    void takesBackANodeThatIsBeingRemovedButNotOneThatAnOperatorCordoned() {
        testCluster
                .lightGpu()
                .node("mine", "light-spot", Nodes.removing("idle, 2026-01-01T11:59:00Z"))
                .node("both", "light-spot", Nodes.cordoned(Nodes.removing("idle, 2026-01-01T11:59:00Z")))
                .node(
                        "theirs",
                        "light-spot",
                        node -> node.editSpec().withUnschedulable(true).endSpec())
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.reserved()).containsExactly("mine");
    }

    /** The extender keeps pods off a node with the mark until the scaler removes the mark. */
    @Test
    void prefersAFreeNodeToOneThatIsBeingRemovedWithoutTheTaint() {
        testCluster
                .lightGpu()
                .node("a-marked", "light-spot", Nodes.marked("removing", "idle, 2026-01-01T11:59:00Z, taint"))
                .node("free", "light-spot")
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(plan(testCluster).reserved()).containsExactly("free");
    }

    @Test
    void neverCountsANodeWhoseMachineWasOrderedToGo() {
        testCluster
                .lightGpu()
                .node(
                        "going",
                        "light-spot",
                        Nodes.removing("idle, 2026-01-01T11:59:00Z", "terminating-since", "2026-01-01T11:59:30Z"))
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    @Test
    void keepsTheMinimumAndTheSpareMachines() {
        testCluster
                .pool("held", onDemand(1).min(2))
                .pool("warm", onDemand(1).spare(1))
                .tier("warm", "warm")
                .waiting(1, "train", "warm", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("held 0->2, warm 0->2");
    }

    /**
     * Otherwise the pods would use the spare machine in one round, and the next round would request another one, until the other machines
     * join.
     */
    @Test
    void podsThatOtherMachinesAreOnTheirWayForTakeNoSpareOneToCome() {
        testCluster
                .pool("spot", spot(1).spare(1))
                .pool("ondemand", onDemand(1))
                .tier("t", "spot", "ondemand")
                .node("idle", "spot")
                .cloud(
                        "spot",
                        2,
                        SnapshotFixture.machine("spot", "idle", State.RUNNING, Objects.NOON),
                        SnapshotFixture.machine("spot", "coming", State.CREATING, Objects.NOON))
                .cloud("ondemand", 1, SnapshotFixture.machine("ondemand", "m1", State.CREATING, Objects.NOON))
                .waiting(2, "train", "t", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().values().stream().map(Outcome::message))
                .containsExactlyInAnyOrder(
                        "node idle has room for the pod; the scheduler last reported: 0/1 nodes are available",
                        "a machine of pool ondemand is provisioning");
    }

    /**
     * Otherwise the pod would use the spare machine, and another spare would be requested. The machine that was requested for the pod would
     * join as well.
     */
    @Test
    void podsTakeNoSpareMachineOfAnotherPoolWhileAnOrderForThemIsNotAnswered() {
        testCluster
                .pool("spot", spot(1))
                .pool("ondemand", onDemand(1).spare(1))
                .tier("t", "spot", "ondemand")
                .cloud("spot", 0)
                .cloud("ondemand", 1, SnapshotFixture.machine("ondemand", "m1", State.CREATING, Objects.NOON))
                .waiting(1, "train", "t", "nvidia.com/gpu", "1");
        var before = testCluster.snapshot();
        var spot = java.util.Objects.requireNonNull(before.pools().get("spot"));

        var atOnce = Planner.plan(before.with(spot.unknown("its cloud has not answered", before.now(), 1)));
        assertThat(atOnce.growths()).isEmpty();
        assertThat(atOnce.outcomes().get("uid-train-1").message()).isEqualTo("a machine of pool spot is provisioning");

        testCluster.ledgers.put("spot", before.ledgerOf(spot.awaiting(1)));
        testCluster.unreadable("spot").later(Duration.ofSeconds(10));
        var nextRound = plan(testCluster);
        assertThat(nextRound.growths()).isEmpty();
        assertThat(nextRound.outcomes().get("uid-train-1").message())
                .isEqualTo("a machine of pool spot is provisioning");
    }

    @Test
    void whatIsToComeOfAPoolThatCannotBeReadIsSupplyAlsoWhenTheClockIsSetBack() {
        var later = Objects.NOON.plus(Duration.ofHours(2));
        testCluster
                .pool("spot", spot(1))
                .pool("ondemand", onDemand(1))
                .tier("t", "spot", "ondemand")
                .node("n1", "ondemand", Nodes.marked("usable-since", later.toString()))
                .running("other", "n1", "nvidia.com/gpu", "1")
                .waiting(1, "train", "t", "nvidia.com/gpu", "1")
                .unreadable("ondemand")
                .later(Duration.ofHours(1));
        testCluster.ledgers.put("ondemand", PoolLedger.EMPTY.expecting(1).unread(later));
        assertThat(plan(testCluster).growths()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"usable-since", "seen-since"})
    void aNodeWithATimeAtTheEndOfTimeHidesNoPool(String annotation) {
        testCluster
                .pool("spot", spot(1))
                .tier("t", "spot")
                .node("n1", "spot", Nodes.marked(annotation, Instant.MAX.toString()))
                .waiting(1, "train", "t", "nvidia.com/gpu", "1");
        assertThat(plan(testCluster).outcomes().get("uid-train-1").message()).doesNotContain("cannot be read");
    }

    @Test
    void reckonsWithWhatMachinesReallyHaveOnceOneIsThere() {
        testCluster
                .pool("cpu", onDemand(0))
                .tier("cpu", "cpu")
                .node(
                        "n1",
                        "cpu",
                        node -> node.editStatus()
                                .addToAllocatable("cpu", new Quantity("5500m"))
                                .endStatus())
                .cloud("cpu", 1, SnapshotFixture.machine("cpu", "n1", State.RUNNING, testCluster.now))
                .running("other", "n1", "cpu", "5")
                .waiting(1, "spark", "cpu", "cpu", "6");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly("asks for cpu 6; the largest machine of tier cpu (pool cpu) has 5500m");
    }

    @Test
    void doesNotTakeWhatSomebodyPutOnOneNodeForWhatTheNextMachineWillHave() {
        testCluster
                .lightGpu()
                .node(
                        "odd",
                        "light-spot",
                        node -> node.editSpec()
                                .addNewTaint("NoSchedule", "maintenance", null, "true")
                                .endSpec()
                                .editMetadata()
                                .removeFromLabels("type")
                                .endMetadata())
                .running("other", "odd", "nvidia.com/gpu", "1")
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    @Test
    void buysNoThirdMachineThatWillBearATaintWhichThePromiseIsSilentAbout() {
        testCluster.lightGpu();
        for (var name : new String[] {"first", "second"}) {
            testCluster.node(
                    name,
                    "light-spot",
                    node -> node.editSpec()
                            .addNewTaint("NoSchedule", "unpromised", null, "true")
                            .endSpec());
        }
        testCluster
                .cloud(
                        "light-spot",
                        2,
                        SnapshotFixture.machine("light-spot", "first", State.RUNNING, testCluster.now),
                        SnapshotFixture.machine("light-spot", "second", State.RUNNING, testCluster.now))
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(plan(testCluster).growths())
                .singleElement()
                .asString()
                .contains("pool light-ondemand grows from 0 to 1")
                .contains("pool light-spot does not fit: node(s) had untolerated taint {unpromised: true}");
    }

    @Test
    void countsNoNodeAsSpareOnWhichAPodHangs() {
        testCluster
                .pool("warm", onDemand(1).spare(1))
                .node("n", "warm", Nodes.idleSince("2026-01-01T11:50:00Z"))
                .running("stuck", "n", "nvidia.com/gpu", "1")
                .cloud("warm", 1, SnapshotFixture.machine("warm", "n", State.RUNNING, Objects.NOON));
        testCluster.pods.get(0).getMetadata().setDeletionTimestamp("2026-01-01T11:50:00Z");
        assertThat(grown(plan(testCluster))).isEqualTo("warm 1->2");
    }

    @Test
    void learnsNothingFromANodeThatAnOperatorCordoned() {
        testCluster
                .lightGpu()
                .node(
                        "cordoned",
                        "light-spot",
                        node -> node.editSpec()
                                .withUnschedulable(true)
                                .endSpec()
                                .editStatus()
                                .addToAllocatable("cpu", new Quantity("1"))
                                .endStatus())
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1", "cpu", "4");

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }
}
