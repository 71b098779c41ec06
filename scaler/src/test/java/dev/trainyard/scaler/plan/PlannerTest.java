package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

/** The choice of pools that grow, and their new sizes. */
class PlannerTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void growsThePoolOnceForABurstOfFortyPods() {
        testCluster.lightGpu().waiting(40, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(plan.growths()).hasSize(1);
        assertThat(plan.growths().get(0))
                .hasToString(
                        "pool light-spot grows from 0 to 40 machines (40 requested, 40 needed) for tier light-gpu");
        assertThat(plan.outcomes())
                .hasSize(40)
                .allSatisfy((uid, outcome) -> assertThat(outcome).isInstanceOf(Outcome.Growing.class));
    }

    @Test
    void asksForExactlyTheMaximumAndExplainsTheRest() {
        testCluster
                .pool("light-ondemand", onDemand(1))
                .tier("light-gpu", "light-ondemand")
                .waiting(150, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("light-ondemand 0->100");
        assertThat(plan.growths().get(0).wanted()).isEqualTo(150);
        assertThat(unplaced(plan))
                .hasSize(50)
                .allMatch(message ->
                        message.equals("pool light-ondemand can add 100 of the 150 machines needed (maximum 100)"));
    }

    @Test
    void packsThirtyPodsToAMachine() {
        testCluster
                .pool("cpu", onDemand(0).holding("pods", "30"))
                .tier("cpu", "cpu")
                .waiting(200, "serve", "cpu", "cpu", "10m");

        assertThat(grown(plan(testCluster))).isEqualTo("cpu 0->7");
    }

    @Test
    void growsAnEmptyPoolThatIsKnownByItsPromiseAlone() {
        testCluster.lightGpu();
        testCluster.pods.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .addToNodeSelector("type", "on-demand")
                .endSpec()
                .build());

        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void growsOnlyThePoolThatTheSecondJobNeeds() {
        testCluster
                .pool("agentpool1", onDemand(0))
                .pool("agentpool2", onDemand(1))
                .node("a1", "agentpool1")
                .node("a2", "agentpool2")
                .cloud("agentpool1", 1, SnapshotFixture.machine("agentpool1", "a1", State.RUNNING, Objects.NOON))
                .cloud("agentpool2", 1, SnapshotFixture.machine("agentpool2", "a2", State.RUNNING, Objects.NOON))
                .running("first", "a2", "nvidia.com/gpu", "1")
                .waiting(1, "second", null, "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("agentpool2 1->2");
    }

    @Test
    void keepsPodsWithoutGpusOffMachinesWithGpus() {
        testCluster
                .pool("cpu", onDemand(0).price("0.90"))
                .pool("light", onDemand(1).price("0.10"))
                .node("idle-gpu-node", "light")
                .waiting(10, "spark", null, "cpu", "3");

        assertThat(grown(plan(testCluster))).isEqualTo("cpu 0->5");
    }

    @Test
    void choosesTheCheapestPoolForPodsOfNoTier() {
        testCluster
                .pool("dear", onDemand(1).price("0.90"))
                .pool("cheap", onDemand(1).price("0.18"))
                .pool("unpriced", onDemand(1))
                .waiting(1, "train", null, "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("cheap 0->1");
    }

    /** The harder pod would fill the only node that the other may use. */
    @Test
    void paysMoreRatherThanLeaveAPodUnplacedWhoseOnlyPoolIsFull() {
        testCluster
                .pool("full", onDemand(1).max(1))
                .pool("dear", onDemand(1).price("9.00"))
                .tier("wide", "full", "dear")
                .tier("narrow", "full")
                .node("n", "full")
                .cloud("full", 1, SnapshotFixture.machine("full", "n", State.RUNNING, Objects.NOON))
                .waiting(1, "hard", "wide", "nvidia.com/gpu", "1", "cpu", "5")
                .waiting(1, "other", "narrow", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("dear 0->1");
        assertThat(plan.outcomes().get("uid-other-1").message()).startsWith("node n has room for the pod");
    }

    @Test
    void leavesTwoPodsUnplacedRatherThanOneOfHigherPriority() {
        testCluster
                .pool("full", onDemand(2).max(1))
                .tier("t", "full")
                .node("n", "full")
                .cloud("full", 1, SnapshotFixture.machine("full", "n", State.RUNNING, Objects.NOON))
                .waiting(2, "low", "t", "nvidia.com/gpu", "1");
        testCluster.pods.add(new PodBuilder(Objects.waiting("high", "t", "nvidia.com/gpu", "2"))
                .editSpec()
                .withPriority(1000)
                .endSpec()
                .build());

        assertThat(plan(testCluster).outcomes().get("uid-high").message()).startsWith("node n has room for the pod");
    }

    @Test
    void letsSmallPodsShareWhatLargeOnesLeaveOfANewMachine() {
        testCluster
                .pool("heavy", onDemand(4))
                .tier("heavy-gpu", "heavy")
                .waiting(1, "large", "heavy-gpu", "nvidia.com/gpu", "3")
                .waiting(1, "small", "heavy-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("heavy 0->1");
    }

    @Test
    void growsSeveralPoolsInOneRound() {
        testCluster
                .lightGpu()
                .pool("cpu", onDemand(0))
                .tier("cpu", "cpu")
                .waiting(2, "train", "light-gpu", "nvidia.com/gpu", "1")
                .waiting(2, "spark", "cpu", "cpu", "3");

        assertThat(grown(plan(testCluster))).isEqualTo("cpu 0->1, light-spot 0->2");
    }

    @Test
    void servesPodsOfHigherPriorityFirst() {
        testCluster
                .pool("light", onDemand(1).max(1))
                .tier("light", "light")
                .waiting(1, "low", "light", "nvidia.com/gpu", "1");
        testCluster.pods.add(new PodBuilder(Objects.waiting("high", "light", "nvidia.com/gpu", "1"))
                .editSpec()
                .withPriority(1000)
                .endSpec()
                .build());

        var plan = plan(testCluster);

        assertThat(plan.outcomes().get("uid-high")).isInstanceOf(Outcome.Growing.class);
        assertThat(plan.outcomes().get("uid-low-1")).isInstanceOf(Outcome.Unplaced.class);
    }
}
