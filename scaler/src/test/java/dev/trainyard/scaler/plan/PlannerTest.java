package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.Yard;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlannerTest {

    private final Yard yard = new Yard();

    @Test
    void growsThePoolOnceForABurstOfFortyPods() {
        lightGpu().waiting(40, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan();

        assertThat(plan.growths()).hasSize(1);
        assertThat(plan.growths().get(0))
                .hasToString("pool light-spot grows from 0 to 40 machines (asked 40) for tier light-gpu");
        assertThat(plan.outcomes())
                .hasSize(40)
                .allSatisfy((uid, outcome) -> assertThat(outcome).isInstanceOf(Outcome.Growing.class));
    }

    @Test
    void asksForExactlyTheMaximumAndExplainsTheRest() {
        yard.pool("light-ondemand", onDemand(1))
                .tier("light-gpu", "light-ondemand")
                .waiting(150, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("light-ondemand 0->100");
        assertThat(plan.growths().get(0).wanted()).isEqualTo(150);
        assertThat(unplaced(plan))
                .hasSize(50)
                .allMatch(message -> message.equals(
                        "pool light-ondemand is at its maximum of 100 machines (150 more wanted, 100 asked for)"));
    }

    @Test
    void packsThirtyPodsToAMachine() {
        yard.pool("cpu", onDemand(0).holding("pods", "30"))
                .tier("cpu", "cpu")
                .waiting(200, "serve", "cpu", "cpu", "10m");

        assertThat(grown(plan())).isEqualTo("cpu 0->7");
    }

    @Test
    void growsAnEmptyPoolThatIsKnownByItsPromiseAlone() {
        lightGpu();
        yard.pods.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .addToNodeSelector("type", "on-demand")
                .endSpec()
                .build());

        assertThat(grown(plan())).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void buysNoSecondMachineWhileTheDriverOfTheFirstIsBeingInstalled() {
        lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, Yard.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus())
                .later(Duration.ofMinutes(12));

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-train-1").message())
                .isEqualTo("a machine of pool light-spot is on its way");
        assertThat(plan.reserved()).containsExactly("m1");
    }

    @Test
    void buysNoSecondMachineWhileANodeThatIsReadyStillBearsTheTaintOfOneThatIsNot() {
        yard.pool("cpu", onDemand(0)).tier("cpu", "cpu").waiting(1, "spark", "cpu", "cpu", "3");
        yard.cloud("cpu", 1, Yard.machine("cpu", "n1", State.RUNNING, Objects.NOON))
                .node(
                        "n1",
                        "cpu",
                        node -> node.editSpec()
                                .addNewTaint("NoSchedule", "node.kubernetes.io/not-ready", null, null)
                                .endSpec());

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-spark-1")).isInstanceOf(Outcome.Upcoming.class);
    }

    @Test
    void doesNotReckonWithANodeThatWasUsableAndIsNotAnyMore() {
        yard.pool("cpu", onDemand(0)).tier("cpu", "cpu").waiting(1, "spark", "cpu", "cpu", "3");
        yard.cloud("cpu", 1, Yard.machine("cpu", "n1", State.RUNNING, Objects.NOON))
                .node(
                        "n1",
                        "cpu",
                        node -> node.editMetadata()
                                .addToAnnotations("trainyard.dev/usable-since", Objects.NOON.toString())
                                .endMetadata()
                                .editSpec()
                                .addNewTaint("NoSchedule", "node.kubernetes.io/not-ready", null, null)
                                .endSpec());

        assertThat(grown(plan())).isEqualTo("cpu 1->2");
    }

    @Test
    void replacesAMachineThatNeverBecameUsableAfterItsTime() {
        lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, Yard.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editMetadata()
                                .addToAnnotations("trainyard.dev/seen-since", Objects.NOON.toString())
                                .endMetadata()
                                .editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus())
                .later(Duration.ofMinutes(15));

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("light-ondemand 0->1");
        assertThat(plan.growths().get(0).insteadOf())
                .extracting(Refusal::message)
                .containsExactly("pool light-spot backs off until 12:16:00: launch-timeout: "
                        + "machine m1 was not usable within 15m: its node was not showing its 1 GPUs");
    }

    @Test
    void turnsToOnDemandInTheRoundInWhichTheSpotFailureIsRead() {
        lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloudFails("light-spot", 1, FailureKind.SPOT_CAPACITY, "no spot machines left");

        var plan = plan();

        assertThat(plan.withdrawals()).hasSize(1);
        assertThat(plan.withdrawals().get(0))
                .hasToString(
                        "pool light-spot: the request for 1 of 1 machines is withdrawn: spot-capacity: no spot machines left");
        assertThat(plan.growths().get(0))
                .hasToString("pool light-ondemand grows from 0 to 1 machines (asked 1) for tier light-gpu, because "
                        + "pool light-spot backs off until 12:01:00: spot-capacity: no spot machines left");
    }

    @Test
    void keepsTheMachinesThatCameWhenTheRestDidNot() {
        lightGpu()
                .waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloudFails(
                        "light-spot",
                        3,
                        FailureKind.SPOT_CAPACITY,
                        "no spot machines left",
                        Yard.machine("light-spot", "m1", State.CREATING, Objects.NOON));

        var plan = plan();

        assertThat(plan.withdrawals().get(0).to()).isEqualTo(1);
        assertThat(grown(plan)).isEqualTo("light-ondemand 0->2");
    }

    @Test
    void turnsToOnDemandWhenSpotMachinesAreOwedForTooLong() {
        lightGpu().waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1").cloud("light-spot", 1);
        yard.observe();

        yard.later(Duration.ofMinutes(3).minusSeconds(1));
        assertThat(plan().growths()).isEmpty();

        yard.later(Duration.ofSeconds(1));
        var plan = plan();
        assertThat(plan.withdrawals()).hasSize(1);
        assertThat(grown(plan)).isEqualTo("light-ondemand 0->1");
        assertThat(plan.growths().get(0).insteadOf().get(0).message())
                .contains("no machine came within 3m of being asked for");
    }

    @Test
    void turnsToOnDemandWhenASpotMachineRunsAndNoNodeComesOfIt() {
        lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, Yard.machine("light-spot", "m1", State.RUNNING, Objects.NOON));
        yard.observe();

        yard.later(Duration.ofMinutes(3).minusSeconds(1));
        assertThat(plan().growths()).isEmpty();

        yard.later(Duration.ofSeconds(1));
        var plan = plan();
        assertThat(grown(plan)).isEqualTo("light-ondemand 0->1");
        assertThat(plan.growths().get(0).insteadOf().get(0).message())
                .contains("no node joined within 3m of being asked for, though machines run");
    }

    @Test
    void keepsWaitingForANodeThatHasJoinedAndIsNotUsableYet() {
        lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, Yard.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus());
        yard.observe();
        yard.later(Duration.ofMinutes(4));

        assertThat(plan().growths()).isEmpty();
    }

    @Test
    void triesSpotAgainWhenItsBackOffIsOver() {
        lightGpu().cloudFails("light-spot", 0, FailureKind.SPOT_CAPACITY, "no spot machines left");
        yard.observe();
        yard.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1").later(Duration.ofMinutes(1));

        assertThat(grown(plan())).isEqualTo("light-spot 0->1");
    }

    @Test
    void buysNothingWhileAPoolCannotBeRead() {
        lightGpu().waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1").unreadable("light-spot");

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly(
                        "pool light-spot cannot be read, so that nobody knows what it has: transient: connection reset");
    }

    @Test
    void doesNotWaitForEverForAPoolThatCannotBeRead() {
        lightGpu().waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1").unreadable("light-spot");
        yard.observe();
        yard.later(Duration.ofMinutes(3));

        assertThat(grown(plan())).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void usesFreeNodesBeforeMachinesOnTheirWayBeforeNewOnes() {
        lightGpu()
                .node("n1", "light-ondemand")
                .cloud("light-spot", 1, Yard.machine("light-spot", "m1", State.CREATING, Objects.NOON))
                .waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan();

        assertThat(plan.outcomes().get("uid-train-1").message())
                .isEqualTo("node n1 has room for it; the scheduler last said: 0/1 nodes are available");
        assertThat(plan.outcomes().get("uid-train-2")).isInstanceOf(Outcome.Upcoming.class);
        assertThat(grown(plan)).isEqualTo("light-spot 1->2");
    }

    @Test
    void takesBackANodeThatIsBeingRemovedButNotOneThatAnOperatorCordoned() {
        lightGpu()
                .node(
                        "mine",
                        "light-spot",
                        node -> node.editMetadata()
                                .addToAnnotations("trainyard.dev/removing", "idle, 2026-01-01T11:59:00Z")
                                .endMetadata()
                                .editSpec()
                                .withUnschedulable(true)
                                .addNewTaint("NoSchedule", "node.kubernetes.io/unschedulable", null, null)
                                .endSpec())
                .node(
                        "theirs",
                        "light-spot",
                        node -> node.editSpec().withUnschedulable(true).endSpec())
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.reserved()).containsExactly("mine");
    }

    @Test
    void neverCountsANodeWhoseMachineWasOrderedToGo() {
        lightGpu()
                .node(
                        "going",
                        "light-spot",
                        node -> node.editMetadata()
                                .addToAnnotations("trainyard.dev/removing", "idle, 2026-01-01T11:59:00Z")
                                .addToAnnotations("trainyard.dev/terminating-since", "2026-01-01T11:59:30Z")
                                .endMetadata()
                                .editSpec()
                                .withUnschedulable(true)
                                .endSpec())
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan())).isEqualTo("light-spot 0->1");
    }

    @Test
    void growsOnlyThePoolThatTheSecondJobNeeds() {
        yard.pool("agentpool1", onDemand(0))
                .pool("agentpool2", onDemand(1))
                .node("a1", "agentpool1")
                .node("a2", "agentpool2")
                .cloud("agentpool1", 1, Yard.machine("agentpool1", "a1", State.RUNNING, Objects.NOON))
                .cloud("agentpool2", 1, Yard.machine("agentpool2", "a2", State.RUNNING, Objects.NOON))
                .running("first", "a2", "nvidia.com/gpu", "1")
                .waiting(1, "second", null, "nvidia.com/gpu", "1");

        assertThat(grown(plan())).isEqualTo("agentpool2 1->2");
    }

    @Test
    void keepsPodsWithoutGpusOffMachinesWithGpus() {
        yard.pool("cpu", onDemand(0).price("0.90"))
                .pool("light", onDemand(1).price("0.10"))
                .node("idle-gpu-node", "light")
                .waiting(10, "spark", null, "cpu", "3");

        assertThat(grown(plan())).isEqualTo("cpu 0->5");
    }

    @Test
    void choosesTheCheapestPoolForPodsOfNoTier() {
        yard.pool("dear", onDemand(1).price("0.90"))
                .pool("cheap", onDemand(1).price("0.18"))
                .pool("unpriced", onDemand(1))
                .waiting(1, "train", null, "nvidia.com/gpu", "1");

        assertThat(grown(plan())).isEqualTo("cheap 0->1");
    }

    @Test
    void letsSmallPodsShareWhatLargeOnesLeaveOfANewMachine() {
        yard.pool("heavy", onDemand(4))
                .tier("heavy-gpu", "heavy")
                .waiting(1, "large", "heavy-gpu", "nvidia.com/gpu", "3")
                .waiting(1, "small", "heavy-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan())).isEqualTo("heavy 0->1");
    }

    @Test
    void growsSeveralPoolsInOneRound() {
        lightGpu()
                .pool("cpu", onDemand(0))
                .tier("cpu", "cpu")
                .waiting(2, "train", "light-gpu", "nvidia.com/gpu", "1")
                .waiting(2, "spark", "cpu", "cpu", "3");

        assertThat(grown(plan())).isEqualTo("cpu 0->1, light-spot 0->2");
    }

    @Test
    void saysWhatTheLargestMachineHasWhenAPodIsTooLarge() {
        lightGpu().waiting(1, "train", "light-gpu", "nvidia.com/gpu", "64");

        assertThat(unplaced(plan()))
                .containsExactly(
                        "asks for nvidia.com/gpu 64; the largest machine of tier light-gpu (pool light-spot) has 1");
    }

    @Test
    void saysWhichTiersThereAreWhenOneIsMisspelt() {
        lightGpu().waiting(1, "train", "light-gpus", "nvidia.com/gpu", "1");

        assertThat(unplaced(plan())).containsExactly("there is no TrainingTier 'light-gpus'; there are: light-gpu");
    }

    @Test
    void leavesThePodsOfOtherSchedulersAloneThatNoPoolCouldRun() {
        lightGpu();
        yard.pods.add(new PodBuilder(Objects.waiting("foreign", null, "example.com/fpga", "1"))
                .editSpec()
                .withSchedulerName("default-scheduler")
                .endSpec()
                .build());

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-foreign")).isInstanceOf(Outcome.NotOurs.class);
    }

    @Test
    void explainsTheWaitOfAGpuPodThatIsOfAnotherScheduler() {
        lightGpu();
        yard.pods.add(new PodBuilder(Objects.waiting("slipped-through", null, "nvidia.com/gpu", "1"))
                .editSpec()
                .withSchedulerName("default-scheduler")
                .withTolerations()
                .addToNodeSelector("no", "pool")
                .endSpec()
                .build());

        assertThat(unplaced(plan())).singleElement().asString().contains("fits no pool of any tier");
    }

    @Test
    void keepsTheMinimumAndTheSpareMachines() {
        yard.pool("held", onDemand(1).min(2))
                .pool("warm", onDemand(1).spare(1))
                .tier("warm", "warm")
                .waiting(1, "train", "warm", "nvidia.com/gpu", "1");

        assertThat(grown(plan())).isEqualTo("held 0->2, warm 0->2");
    }

    @Test
    void reckonsWithWhatMachinesReallyHaveOnceOneIsThere() {
        yard.pool("cpu", onDemand(0))
                .tier("cpu", "cpu")
                .node(
                        "n1",
                        "cpu",
                        node -> node.editStatus()
                                .addToAllocatable("cpu", new Quantity("5500m"))
                                .endStatus())
                .running("other", "n1", "cpu", "5")
                .waiting(1, "spark", "cpu", "cpu", "6");

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly("asks for cpu 6; the largest machine of tier cpu (pool cpu) has 5500m");
    }

    @Test
    void doesNotTakeWhatSomebodyPutOnOneNodeForWhatTheNextMachineWillHave() {
        lightGpu()
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

        assertThat(grown(plan())).isEqualTo("light-spot 0->1");
    }

    @Test
    void buysNoThirdMachineThatWillBearATaintWhichThePromiseIsSilentAbout() {
        lightGpu();
        for (var name : new String[] {"first", "second"}) {
            yard.node(
                    name,
                    "light-spot",
                    node -> node.editSpec()
                            .addNewTaint("NoSchedule", "unpromised", null, "true")
                            .endSpec());
        }
        yard.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(plan().growths())
                .singleElement()
                .asString()
                .contains("pool light-ondemand grows from 0 to 1")
                .contains("pool light-spot does not fit: node(s) had untolerated taint {unpromised: true}");
    }

    @Test
    void learnsNothingFromANodeThatAnOperatorCordoned() {
        lightGpu()
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

        assertThat(grown(plan())).isEqualTo("light-spot 0->1");
    }

    @Test
    void saysWhyAPreferredPoolOnWhichAPodDoesNotFitIsPassedOver() {
        yard.pool("light", spot(1))
                .pool("heavy", onDemand(4))
                .tier("any-gpu", "light", "heavy")
                .waiting(1, "train", "any-gpu", "nvidia.com/gpu", "2");

        var plan = plan();

        assertThat(plan.growths()).hasSize(1);
        assertThat(plan.growths().get(0))
                .hasToString("pool heavy grows from 0 to 1 machines (asked 1) for tier any-gpu, because "
                        + "pool light does not fit: Insufficient nvidia.com/gpu");
    }

    @Test
    void buysNothingForAPodWhoseVolumeClaimDoesNotExist() {
        lightGpu();
        yard.pods.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editStatus()
                .editFirstCondition()
                .withMessage("0/1 nodes are available: persistentvolumeclaim \"data\" not found.")
                .endCondition()
                .endStatus()
                .build());

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly("no machine is asked for, since it could not run; the scheduler says: "
                        + "0/1 nodes are available: persistentvolumeclaim \"data\" not found.");
    }

    @Test
    void keepsNoNodeForAPodThatTheSchedulerDoesNotBindToIt() {
        lightGpu().node("n1", "light-spot").waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        var offers = new Offers();
        offers.made(plan(), yard.now);
        yard.later(Duration.ofSeconds(29));
        offers.made(plan(), yard.now);
        assertThat(offers.passedOver(yard.now)).isEmpty();
        yard.later(Duration.ofSeconds(1));
        offers.made(plan(), yard.now);

        var plan = Planner.plan(yard.snapshot(), offers.passedOver(yard.now));
        assertThat(plan.reserved()).isEmpty();
        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly("node n1 should have room for it; the scheduler says: 0/1 nodes are available");

        yard.nodes.clear();
        assertThat(Planner.plan(yard.snapshot(), offers.passedOver(yard.now)).growths())
                .as("bought once more when its node is gone")
                .isEmpty();
        yard.later(Offers.RETRY);
        assertThat(grown(Planner.plan(yard.snapshot(), offers.passedOver(yard.now))))
                .isEqualTo("light-spot 0->1");
    }

    @Test
    void buysForAPodThatWasPassedOverWhenAnotherHasTakenTheRoom() {
        lightGpu().node("n1", "light-spot").running("other", "n1", "nvidia.com/gpu", "1");
        yard.cloud("light-spot", 1, Yard.machine("light-spot", "n1", State.RUNNING, Objects.NOON))
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(Planner.plan(yard.snapshot(), java.util.Map.of("uid-train-1", "n1"))))
                .isEqualTo("light-spot 1->2");
    }

    @Test
    void servesPodsOfHigherPriorityFirst() {
        yard.pool("light", onDemand(1).max(1)).tier("light", "light").waiting(1, "low", "light", "nvidia.com/gpu", "1");
        yard.pods.add(new PodBuilder(Objects.waiting("high", "light", "nvidia.com/gpu", "1"))
                .editSpec()
                .withPriority(1000)
                .endSpec()
                .build());

        var plan = plan();

        assertThat(plan.outcomes().get("uid-high")).isInstanceOf(Outcome.Growing.class);
        assertThat(plan.outcomes().get("uid-low-1")).isInstanceOf(Outcome.Unplaced.class);
    }

    private Yard lightGpu() {
        return yard.pool("light-spot", spot(1))
                .pool("light-ondemand", onDemand(1))
                .tier("light-gpu", "light-spot", "light-ondemand");
    }

    private Plan plan() {
        return Planner.plan(yard.snapshot());
    }

    private static String grown(Plan plan) {
        return plan.growths().stream()
                .map(growth -> growth.pool().name() + " " + growth.from() + "->" + growth.to())
                .collect(java.util.stream.Collectors.joining(", "));
    }

    private static java.util.List<String> unplaced(Plan plan) {
        return plan.outcomes().values().stream()
                .filter(outcome -> outcome instanceof Outcome.Unplaced)
                .map(Outcome::message)
                .toList();
    }
}
