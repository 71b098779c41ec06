package dev.trainyard.scaler.rules;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
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

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void rule05_oldNamesOfGpusMeanTheSameAsThePresentOne() {
        testCluster.lightGpu().waiting(1, "old", "light-gpu", "alpha.kubernetes.io/nvidia-gpu", "1");
        testCluster.waiting(1, "new", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->2");
    }

    @Test
    void rule06_machinesCountWithTheirPromiseUntilTheirGpusShow() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus());
        for (int minute = 0; minute <= 12; minute++) {
            assertThat(plan(testCluster).growths()).as("minute %d", minute).isEmpty();
            testCluster.observe();
            testCluster.later(Duration.ofMinutes(1));
        }
    }

    @Test
    void rule07_whatANodeReallyHasCountsAndOnePoolThatCannotBeReadStopsNoOther() {
        testCluster
                .pool("cpu", onDemand(0))
                .tier("cpu", "cpu")
                .pool("other", onDemand(1))
                .tier("other", "other");
        testCluster.node(
                "n1",
                "cpu",
                node -> node.editStatus()
                        .addToAllocatable("cpu", new Quantity("2"))
                        .endStatus());
        testCluster
                .cloud("cpu", 1, SnapshotFixture.machine("cpu", "n1", State.RUNNING, Objects.NOON))
                .unreadable("other")
                .waiting(1, "train", "other", "nvidia.com/gpu", "1")
                .waiting(3, "spark", "cpu", "cpu", "2");

        assertThat(grown(plan(testCluster))).as("one to a machine, not three").isEqualTo("cpu 1->3");
    }

    @Test
    void rule08_whatDaemonSetsTakeIsNotSoldTwice() {
        testCluster.pool("cpu", onDemand(0)).tier("cpu", "cpu").waiting(2, "spark", "cpu", "cpu", "3");
        assertThat(grown(plan(testCluster))).isEqualTo("cpu 0->1");

        testCluster.daemonSet("logs", Map.of(), "100m");
        assertThat(grown(plan(testCluster)))
                .as("no node is there to measure, and the pods of the DaemonSet will be")
                .isEqualTo("cpu 0->2");
    }

    @Test
    void rule09_selectorsTaintsAndAffinityDecideWhichPoolGrows() {
        testCluster.lightGpu();
        testCluster.pods.add(changed(
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

        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void rule10_podsOfDifferentSelectorsShareOnePlan() {
        testCluster.pool("heavy", onDemand(4)).tier("heavy-gpu", "heavy");
        testCluster.waiting(2, "plain", "heavy-gpu", "nvidia.com/gpu", "2");
        testCluster.pods.add(changed(
                "selecting",
                pod -> pod.editMetadata()
                        .addToAnnotations("trainyard.dev/tier", "heavy-gpu")
                        .endMetadata()
                        .editSpec()
                        .addToNodeSelector("type", "on-demand")
                        .endSpec()));
        testCluster.waiting(3, "small", "heavy-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster)))
                .as("eight GPUs: the sum, not the greatest of three shapes, and no machine for each shape")
                .isEqualTo("heavy 0->2");
    }

    @Test
    void rule11_whatIsHardToPlaceGoesFirstAndTheRestFillsTheGaps() {
        testCluster.pool("heavy", onDemand(4)).tier("heavy-gpu", "heavy");
        testCluster.waiting(4, "a-small", "heavy-gpu", "nvidia.com/gpu", "1");
        testCluster.waiting(4, "b-large", "heavy-gpu", "nvidia.com/gpu", "3");

        assertThat(grown(plan(testCluster)))
                .as("in the order of names the small ones fill a machine of their own")
                .isEqualTo("heavy 0->4");
    }

    @Test
    void rule11_cheapestFirstThenTheFewestIdleGpus() {
        testCluster
                .pool("eight", onDemand(8).price("1.00"))
                .pool("one", onDemand(1).price("1.00"))
                .pool("dear", onDemand(1).price("1.01"))
                .waiting(1, "train", null, "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("one 0->1");
    }

    @Test
    void rule14_spotIsTriedAgainWhenItsBackOffEnds() {
        testCluster.lightGpu().cloudFails("light-spot", 0, FailureKind.SPOT_CAPACITY, "no spot machines left");
        testCluster.observe();
        testCluster.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->1");

        testCluster.later(Duration.ofMinutes(1));
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    @Test
    void rule15_spotAndOnDemandPoolsHaveCapacityTypesMinimaAndMaximaOfTheirOwn() {
        testCluster
                .pool("spot", spot(1).max(3))
                .pool("fallback", onDemand(1).max(2))
                .tier("t", "spot", "fallback");
        testCluster.waiting(6, "train", "t", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("fallback 0->2, spot 0->3");
        assertThat(unplaced(plan)).hasSize(1);
    }

    @Test
    void rule16_spareMachinesAreKeptForEachPoolAndBoughtOnce() {
        testCluster
                .pool("warm", onDemand(1).spare(2))
                .pool("other", onDemand(1))
                .tier("t", "other");
        testCluster.waiting(1, "train", "t", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("other 0->1, warm 0->2");
        testCluster.cloud("warm", 2).cloud("other", 1);
        assertThat(plan(testCluster).growths()).isEmpty();
    }

    @Test
    void rule25_onlyPodsThatTheSchedulerCouldNotPlaceAreDemand() {
        testCluster.lightGpu().node("n1", "light-spot");
        testCluster.pods.add(changed(
                "gated", pod -> pod.editSpec().addNewSchedulingGate("quota").endSpec()));
        testCluster.pods.add(nominated(changed("nominated", pod -> pod), "n1"));
        testCluster.pods.add(changed(
                "leaving",
                pod -> pod.editMetadata()
                        .withDeletionTimestamp(Objects.NOON.toString())
                        .endMetadata()));
        testCluster.pods.add(
                changed("unjudged", pod -> pod.editStatus().withConditions().endStatus()));

        assertThat(plan(testCluster).outcomes()).isEmpty();
    }

    @Test
    void rule25_aPodCountsOnTheNodeThatItIsNominatedFor() {
        testCluster.lightGpu().node("n1", "light-spot").waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        testCluster.pods.add(nominated(changed("urgent", pod -> pod), "n1"));

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
        assertThat(testCluster.snapshot().nodes().get(0).trainingPods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.blocker(Objects.NOON)).contains("the scheduler is about to bind it"));
    }

    @Test
    void rule25_aPodThatIsNominatedForAMissingNodeIsDemand() {
        testCluster.lightGpu();
        testCluster.pods.add(nominated(changed("urgent", pod -> pod), "gone"));

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    @Test
    void rule25_podsThatLackAVolumeAreNotBoughtForUntilTheSchedulerSaysOtherwise() {
        testCluster.lightGpu();
        for (var verdict : List.of(
                "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
                "0/1 nodes are available: persistentvolumeclaim \"data\" not found. not found",
                "0/1 nodes are available: persistentvolumeclaim \"data\" is being deleted. not found",
                "0/1 nodes are available: persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"v\".",
                "0/1 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim"
                        + " \"train-data\".")) {
            testCluster.pods.clear();
            testCluster.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
            testCluster.pods.set(0, judged(testCluster.pods.get(0), "Unschedulable", verdict));
            assertThat(Plans.of(
                            plan(testCluster),
                            testCluster.pods.get(0).getMetadata().getName()))
                    .isEqualTo(new Outcome.Unplaced(
                            Outcome.Reason.BLOCKED,
                            "no machine is requested: the pod could not run without its volume; the scheduler reports: "
                                    + verdict));
        }
    }

    @Test
    void rule25_noMachineIsBoughtForResourceClaimsOfAPodWithoutATier() {
        testCluster.lightGpu().pool("cpu", onDemand(0));
        testCluster.waiting(1, "claims", null, "cpu", "1").waiting(1, "trains", "light-gpu", "cpu", "1");
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editSpec()
                .addNewResourceClaim()
                .withName("gpu")
                .endResourceClaim()
                .endSpec()
                .build());

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("light-spot 0->1");
        assertThat(unplaced(plan))
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("pools do not promise the devices of resource claims");
    }

    @Test
    void rule25_podsBelowThePriorityCutOffAreExplainedAndNotBoughtFor() {
        testCluster.lightGpu().waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        testCluster.pods.add(
                changed("filler", pod -> pod.editSpec().withPriority(-11).endSpec()));
        testCluster.pods.add(
                changed("modest", pod -> pod.editSpec().withPriority(-10).endSpec()));

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("light-spot 0->2");
        assertThat(Plans.of(plan, "filler"))
                .isEqualTo(new Outcome.Unplaced(
                        Outcome.Reason.BELOW_CUTOFF,
                        "its priority of -11 is below the cut-off of -10: no machine is launched for the pod; "
                                + "the pod may use free room on existing nodes"));
        assertThat(grown(Planner.plan(testCluster.snapshot(), Map.of(), -11))).isEqualTo("light-spot 0->3");
    }

    @Test
    void rule26_allOfAGangOrNothing() {
        testCluster
                .pool("spot", spot(1).max(5))
                .pool("fallback", onDemand(1).max(2))
                .tier("t", "spot", "fallback");
        testCluster.gang("llm", "8", 8, "worker", "t", "nvidia.com/gpu", "1");
        assertThat(plan(testCluster).growths()).isEmpty();

        testCluster.pool("fallback", onDemand(1).max(3));
        assertThat(grown(plan(testCluster))).isEqualTo("fallback 0->3, spot 0->5");
    }

    @Test
    void rule26_membersThatHaveANominatedNodeOrThatVolcanoHoldsBackArePresent() {
        testCluster.pool("spot", spot(1).max(5)).tier("t", "spot").node("n1", "spot");
        testCluster.gang("llm", "3", 3, "worker", "t", "nvidia.com/gpu", "1");
        testCluster.pods.set(0, nominated(testCluster.pods.get(0), "n1"));
        testCluster.pods.set(1, judged(testCluster.pods.get(1), "Schedulable", "fits"));
        testCluster.pods.set(2, judged(testCluster.pods.get(2), "Undetermined", "unknown"));

        assertThat(grown(plan(testCluster))).isEqualTo("spot 0->2");
    }

    @Test
    void rule31_machinesOfAPoolMayDifferAndTheLeastOfThemCounts() {
        testCluster.pool("mixed", onDemand(0)).tier("t", "mixed");
        testCluster
                .node("large", "mixed")
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
        testCluster
                .later(Duration.ofMinutes(2))
                .cloud(
                        "mixed",
                        2,
                        SnapshotFixture.machine("mixed", "large", State.RUNNING, Objects.NOON),
                        SnapshotFixture.machine("mixed", "small", State.RUNNING, Objects.NOON))
                .running("a", "large", "cpu", "6")
                .running("b", "small", "cpu", "4")
                .waiting(2, "spark", "t", "cpu", "3");

        assertThat(grown(plan(testCluster)))
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
