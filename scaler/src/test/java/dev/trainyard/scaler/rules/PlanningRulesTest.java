package dev.trainyard.scaler.rules;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.Yard;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.plan.Plans;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Rules for requesting machines that follow from mistakes of earlier autoscalers, one test for each. Numbers are the rules' own. */
class PlanningRulesTest {

    private final Yard yard = new Yard();

    @Test
    void rule05_oldNamesOfGpusMeanTheSameAsThePresentOne() {
        yard.lightGpu().waiting(1, "old", "light-gpu", "alpha.kubernetes.io/nvidia-gpu", "1");
        yard.waiting(1, "new", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(yard))).isEqualTo("light-spot 0->2");
    }

    @Test
    void rule06_machinesCountWithTheirPromiseUntilTheirGpusShow() {
        yard.lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, Yard.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus());
        for (int minute = 0; minute <= 12; minute++) {
            assertThat(plan(yard).growths()).as("minute %d", minute).isEmpty();
            yard.observe();
            yard.later(Duration.ofMinutes(1));
        }
    }

    @Test
    void rule07_whatANodeReallyHasCountsAndOnePoolThatCannotBeReadStopsNoOther() {
        yard.pool("cpu", onDemand(0))
                .tier("cpu", "cpu")
                .pool("other", onDemand(1))
                .tier("other", "other");
        yard.node(
                "n1",
                "cpu",
                node -> node.editStatus()
                        .addToAllocatable("cpu", new Quantity("2"))
                        .endStatus());
        yard.cloud("cpu", 1, Yard.machine("cpu", "n1", State.RUNNING, Objects.NOON))
                .unreadable("other")
                .waiting(1, "train", "other", "nvidia.com/gpu", "1")
                .waiting(3, "spark", "cpu", "cpu", "2");

        assertThat(grown(plan(yard))).as("one to a machine, not three").isEqualTo("cpu 1->3");
    }

    @Test
    void rule08_whatDaemonSetsTakeIsNotSoldTwice() {
        yard.pool("cpu", onDemand(0)).tier("cpu", "cpu").waiting(2, "spark", "cpu", "cpu", "3");
        assertThat(grown(plan(yard))).isEqualTo("cpu 0->1");

        yard.daemonSet("logs", Map.of(), "100m");
        assertThat(grown(plan(yard)))
                .as("no node is there to measure, and the pods of the DaemonSet will be")
                .isEqualTo("cpu 0->2");
    }

    @Test
    void rule09_selectorsTaintsAndAffinityDecideWhichPoolGrows() {
        yard.lightGpu();
        yard.pods.add(changed(
                "picky",
                pod -> pod.editSpec()
                        .withNewAffinity()
                        .withNewNodeAffinity()
                        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .addNewNodeSelectorTerm()
                        .addNewMatchExpression()
                        .withKey("type")
                        .withOperator("NotIn")
                        .withValues("spot")
                        .endMatchExpression()
                        .endNodeSelectorTerm()
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endNodeAffinity()
                        .endAffinity()
                        .endSpec()));

        assertThat(grown(plan(yard))).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void rule10_podsOfDifferentSelectorsShareOnePlan() {
        yard.pool("heavy", onDemand(4)).tier("heavy-gpu", "heavy");
        yard.waiting(2, "plain", "heavy-gpu", "nvidia.com/gpu", "2");
        yard.pods.add(changed(
                "selecting",
                pod -> pod.editMetadata()
                        .addToAnnotations("trainyard.dev/tier", "heavy-gpu")
                        .endMetadata()
                        .editSpec()
                        .addToNodeSelector("type", "on-demand")
                        .endSpec()));
        yard.waiting(3, "small", "heavy-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(yard)))
                .as("eight GPUs: the sum, not the greatest of three shapes, and no machine for each shape")
                .isEqualTo("heavy 0->2");
    }

    @Test
    void rule11_whatIsHardToPlaceGoesFirstAndTheRestFillsTheGaps() {
        yard.pool("heavy", onDemand(4)).tier("heavy-gpu", "heavy");
        yard.waiting(4, "a-small", "heavy-gpu", "nvidia.com/gpu", "1");
        yard.waiting(4, "b-large", "heavy-gpu", "nvidia.com/gpu", "3");

        assertThat(grown(plan(yard)))
                .as("in the order of names the small ones fill a machine of their own")
                .isEqualTo("heavy 0->4");
    }

    @Test
    void rule11_cheapestFirstThenTheFewestIdleGpus() {
        yard.pool("eight", onDemand(8).price("1.00"))
                .pool("one", onDemand(1).price("1.00"))
                .pool("dear", onDemand(1).price("1.01"))
                .waiting(1, "train", null, "nvidia.com/gpu", "1");

        assertThat(grown(plan(yard))).isEqualTo("one 0->1");
    }

    @Test
    void rule14_spotIsTriedAgainWhenItsBackOffEnds() {
        yard.lightGpu().cloudFails("light-spot", 0, FailureKind.SPOT_CAPACITY, "no spot machines left");
        yard.observe();
        yard.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        assertThat(grown(plan(yard))).isEqualTo("light-ondemand 0->1");

        yard.later(Duration.ofMinutes(1));
        assertThat(grown(plan(yard))).isEqualTo("light-spot 0->1");
    }

    @Test
    void rule15_spotAndOnDemandPoolsHaveCapacityTypesMinimaAndMaximaOfTheirOwn() {
        yard.pool("spot", spot(1).max(3)).pool("fallback", onDemand(1).max(2)).tier("t", "spot", "fallback");
        yard.waiting(6, "train", "t", "nvidia.com/gpu", "1");

        var plan = plan(yard);

        assertThat(grown(plan)).isEqualTo("fallback 0->2, spot 0->3");
        assertThat(unplaced(plan)).hasSize(1);
    }

    @Test
    void rule16_spareMachinesAreKeptForEachPoolAndBoughtOnce() {
        yard.pool("warm", onDemand(1).spare(2)).pool("other", onDemand(1)).tier("t", "other");
        yard.waiting(1, "train", "t", "nvidia.com/gpu", "1");

        assertThat(grown(plan(yard))).isEqualTo("other 0->1, warm 0->2");
        yard.cloud("warm", 2).cloud("other", 1);
        assertThat(plan(yard).growths()).isEmpty();
    }

    @Test
    void rule25_onlyPodsThatTheSchedulerCouldNotPlaceAreDemand() {
        yard.lightGpu().node("n1", "light-spot");
        yard.pods.add(changed(
                "gated", pod -> pod.editSpec().addNewSchedulingGate("quota").endSpec()));
        yard.pods.add(nominated(changed("nominated", pod -> pod), "n1"));
        yard.pods.add(changed(
                "leaving",
                pod -> pod.editMetadata()
                        .withDeletionTimestamp(Objects.NOON.toString())
                        .endMetadata()));
        yard.pods.add(
                changed("unjudged", pod -> pod.editStatus().withConditions().endStatus()));

        assertThat(plan(yard).outcomes()).isEmpty();
    }

    @Test
    void rule25_aPodCountsOnTheNodeThatItIsNominatedFor() {
        yard.lightGpu().node("n1", "light-spot").waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        yard.pods.add(nominated(changed("urgent", pod -> pod), "n1"));

        assertThat(grown(plan(yard))).isEqualTo("light-spot 0->1");
        assertThat(yard.snapshot().nodes().get(0).trainingPods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.blocker(Objects.NOON)).contains("the scheduler is about to bind it"));
    }

    @Test
    void rule25_aPodThatIsNominatedForAMissingNodeIsDemand() {
        yard.lightGpu();
        yard.pods.add(nominated(changed("urgent", pod -> pod), "gone"));

        assertThat(grown(plan(yard))).isEqualTo("light-spot 0->1");
    }

    @Test
    void rule25_podsThatLackAVolumeAreNotBoughtForUntilTheSchedulerSaysOtherwise() {
        yard.lightGpu();
        for (var verdict : List.of(
                "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
                "0/1 nodes are available: persistentvolumeclaim \"data\" not found. not found",
                "0/1 nodes are available: persistentvolumeclaim \"data\" is being deleted. not found",
                "0/1 nodes are available: persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"v\".",
                "0/1 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim"
                        + " \"train-data\".")) {
            yard.pods.clear();
            yard.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
            yard.pods.set(0, judged(yard.pods.get(0), "Unschedulable", verdict));
            assertThat(Plans.of(plan(yard), yard.pods.get(0).getMetadata().getName()))
                    .isEqualTo(new Outcome.Unplaced(
                            Outcome.Reason.BLOCKED,
                            "no machine is asked for, since it could not run; the scheduler says: " + verdict));
        }
    }

    @Test
    void rule25_noMachineIsBoughtForResourceClaimsOfAPodWithoutATier() {
        yard.lightGpu().pool("cpu", onDemand(0));
        yard.waiting(1, "claims", null, "cpu", "1").waiting(1, "trains", "light-gpu", "cpu", "1");
        yard.pods.replaceAll(pod -> new PodBuilder(pod)
                .editSpec()
                .addNewResourceClaim()
                .withName("gpu")
                .endResourceClaim()
                .endSpec()
                .build());

        var plan = plan(yard);

        assertThat(grown(plan)).isEqualTo("light-spot 0->1");
        assertThat(unplaced(plan))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("pools do not promise the devices of resource claims");
    }

    @Test
    void rule25_podsBelowThePriorityCutOffAreExplainedAndNotBoughtFor() {
        yard.lightGpu().waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        yard.pods.add(changed("filler", pod -> pod.editSpec().withPriority(-11).endSpec()));
        yard.pods.add(changed("modest", pod -> pod.editSpec().withPriority(-10).endSpec()));

        var plan = plan(yard);

        assertThat(grown(plan)).isEqualTo("light-spot 0->2");
        assertThat(Plans.of(plan, "filler"))
                .isEqualTo(
                        new Outcome.Unplaced(
                                Outcome.Reason.BELOW_CUTOFF,
                                "its priority of -11 is below the cut-off of -10: no machine is bought for it, it may have what others leave"));
        assertThat(grown(Planner.plan(yard.snapshot(), Map.of(), -11))).isEqualTo("light-spot 0->3");
    }

    @Test
    void rule26_allOfAGangOrNothing() {
        yard.pool("spot", spot(1).max(5)).pool("fallback", onDemand(1).max(2)).tier("t", "spot", "fallback");
        yard.gang("llm", "8", 8, "worker", "t", "nvidia.com/gpu", "1");
        assertThat(plan(yard).growths()).isEmpty();

        yard.pool("fallback", onDemand(1).max(3));
        assertThat(grown(plan(yard))).isEqualTo("fallback 0->3, spot 0->5");
    }

    @Test
    void rule26_membersThatHaveANominatedNodeOrThatVolcanoHoldsBackArePresent() {
        yard.pool("spot", spot(1).max(5)).tier("t", "spot").node("n1", "spot");
        yard.gang("llm", "3", 3, "worker", "t", "nvidia.com/gpu", "1");
        yard.pods.set(0, nominated(yard.pods.get(0), "n1"));
        yard.pods.set(1, judged(yard.pods.get(1), "Schedulable", "fits"));
        yard.pods.set(2, judged(yard.pods.get(2), "Undetermined", "unknown"));

        assertThat(grown(plan(yard))).isEqualTo("spot 0->2");
    }

    @Test
    void rule31_machinesOfAPoolMayDifferAndTheLeastOfThemCounts() {
        yard.pool("mixed", onDemand(0)).tier("t", "mixed");
        yard.node("large", "mixed")
                .node(
                        "small",
                        "mixed",
                        node -> node.editMetadata()
                                .withCreationTimestamp(
                                        Objects.NOON.plusSeconds(60).toString())
                                .endMetadata()
                                .editStatus()
                                .addToAllocatable("cpu", new Quantity("4"))
                                .endStatus());
        yard.later(Duration.ofMinutes(2))
                .cloud(
                        "mixed",
                        2,
                        Yard.machine("mixed", "large", State.RUNNING, Objects.NOON),
                        Yard.machine("mixed", "small", State.RUNNING, Objects.NOON))
                .running("a", "large", "cpu", "6")
                .running("b", "small", "cpu", "4")
                .waiting(2, "spark", "t", "cpu", "3");

        assertThat(grown(plan(yard)))
                .as("the youngest tells what an override of instance types makes now")
                .isEqualTo("mixed 2->4");
    }

    private static Pod changed(String name, UnaryOperator<PodBuilder> change) {
        return change.apply(new PodBuilder(Objects.waiting(name, "light-gpu", "nvidia.com/gpu", "1")))
                .build();
    }

    private static Pod nominated(Pod pod, String node) {
        return new PodBuilder(pod)
                .editStatus()
                .withNominatedNodeName(node)
                .endStatus()
                .build();
    }

    private static Pod judged(Pod pod, String reason, String verdict) {
        return new PodBuilder(pod)
                .editStatus()
                .editFirstCondition()
                .withReason(reason)
                .withMessage(verdict)
                .endCondition()
                .endStatus()
                .build();
    }
}
