package dev.trainyard.scaler.lifecycle;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.lifecycle.Nodes.LONG_AGO;
import static dev.trainyard.scaler.lifecycle.Nodes.idleSince;
import static dev.trainyard.scaler.lifecycle.Nodes.littleUsedSince;
import static dev.trainyard.scaler.lifecycle.Nodes.owned;
import static dev.trainyard.scaler.lifecycle.Nodes.removing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.scaler.SnapshotFixture;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Machines of four GPUs; pod small on n uses one of them. */
class ConsolidationTest {

    private final SnapshotFixture testCluster = new SnapshotFixture().pool("p", onDemand(4));
    private final Nodes nodes = new Nodes(testCluster);

    @Test
    void emptiesALittleUsedMachineWhosePodFitsElsewhere() {
        little("n", 1);
        busy("b", 3);
        assertThat(nodes.judge("n"))
                .isEqualTo(
                        "under-utilized-drainable Cordon: 1 pod uses 25 % of its GPUs for 1h; all its pods fit on b");
        assertThat(nodes.judge("b")).startsWith("busy Keep");
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:50:01Z, Keep", "2026-01-01T11:50:00Z, Cordon"})
    void waitsUntilAMachineHasBeenLittleUsedForLongEnough(String since, String step) {
        nodes.node("n", littleUsedSince(since)).running("small", "n", "nvidia.com/gpu", "1");
        busy("b", 3);
        assertThat(nodes.judge("n")).startsWith("under-utilized-drainable " + step);
    }

    @Test
    void notesSinceWhenAMachineHasBeenLittleUsed() {
        nodes.node("n", idleSince(LONG_AGO)).running("small", "n", "nvidia.com/gpu", "1");
        assertThat(nodes.notes("n"))
                .containsEntry("trainyard.dev/under-utilized-since", Optional.of("2026-01-01T12:00:00Z"))
                .containsEntry("trainyard.dev/idle-since", Optional.empty());
        testCluster.running("more", "n", "nvidia.com/gpu", "1");
        assertThat(nodes.notes("n")).doesNotContainKey("trainyard.dev/under-utilized-since");
    }

    @Test
    void forgetsThatAMachineWasLittleUsedWhenItIsNotAnyMore() {
        little("n", 2);
        assertThat(nodes.notes("n")).containsEntry("trainyard.dev/under-utilized-since", Optional.empty());
    }

    @Test
    void emptiesNoMachineOfAPoolThatSaysSo() {
        testCluster.pool("p", onDemand(4).utilizationBelow("0"));
        nodes.node("n", littleUsedSince(LONG_AGO)).running("small", "n", "cpu", "1");
        busy("b", 3);
        assertThat(nodes.judge("n")).startsWith("busy Keep");
    }

    @Test
    void countsOnlyGpusOfAMachineThatHasThem() {
        nodes.node("n", littleUsedSince(LONG_AGO)).running("cores", "n", "cpu", "5");
        assertThat(nodes.judge("n")).contains("1 pod uses 0 % of its GPUs");
    }

    @Test
    void countsWhatIsUsedMostOfAMachineWithoutGpus() {
        testCluster.pool("p", onDemand(0));
        nodes.node("n", littleUsedSince(LONG_AGO)).running("half", "n", "cpu", "100m", "memory", "28Gi");
        assertThat(nodes.judge("n")).isEqualTo("busy Keep: 1 pod uses 50 % of the node");
    }

    @Test
    void doesNotCountWhatDaemonSetsUse() {
        testCluster.pool("p", onDemand(0));
        nodes.node("n", littleUsedSince(LONG_AGO)).running("small", "n", "cpu", "100m");
        testCluster.pods.add(new PodBuilder(owned("daemon", "DaemonSet"))
                .editSpec()
                .editFirstContainer()
                .editResources()
                .addToRequests("cpu", new io.fabric8.kubernetes.api.model.Quantity("5"))
                .endResources()
                .endContainer()
                .endSpec()
                .build());
        assertThat(nodes.judge("n")).contains("1 pod uses 2 % of the node");
    }

    @Test
    void keepsAMachineWhosePodFitsNowhereElse() {
        little("n", 1);
        busy("b", 4);
        assertThat(nodes.judge("n"))
                .isEqualTo(
                        "under-utilized-undrainable Keep: 1 pod uses 25 % of its GPUs; pod team/n-1 fits on no other machine that is kept");
    }

    @Test
    void movesNothingToAMachineThatGoesItself() {
        little("n", 1);
        nodes.node("idle", idleSince("2026-01-01T11:55:00Z"));
        nodes.node("going", removing("idle, " + LONG_AGO));
        nodes.node("cordoned", Nodes.cordoned(idleSince(LONG_AGO)));
        assertThat(nodes.judge("n")).contains("fits on no other machine that is kept");
    }

    /** The training has used few of the machine's GPUs for a long time, and has no marks. */
    @Test
    void leavesATrainingAloneOfWhichNothingSaysThatItCanBeResumed() {
        testCluster.pool("p", onDemand(4)).pool("q", onDemand(4).min(1));
        little("n", 1);
        annotateAll(Map.of());
        nodes.node("warm", "q", idleSince(LONG_AGO));
        assertThat(nodes.judge("n"))
                .startsWith("under-utilized-undrainable Keep")
                .endsWith(
                        "is not moved: it is not marked as resumable; set trainyard.dev/resumable: \"true\" on the pod to let the pod be moved");
    }

    @ParameterizedTest
    @CsvSource({
        "false, '', undrainable",
        "true, '', drainable",
        "false, true, drainable",
        "true, false, undrainable",
        "true, maybe, undrainable"
    })
    void movesATrainingIfItsTierOrThePodItselfSaysThatItCanBeResumed(boolean tier, String pod, String state) {
        testCluster.pool("p", onDemand(4)).pool("q", onDemand(4).min(1));
        testCluster.tiers.put(
                "t", TrainingTierSpec.builder(List.of("p", "q")).resumable(tier).build());
        little("n", 1);
        var tierOnly = Map.of(Names.TIER, "t");
        annotateAll(pod.isEmpty() ? tierOnly : Map.of(Names.TIER, "t", Names.RESUMABLE, pod));
        nodes.node("warm", "q", idleSince(LONG_AGO));
        assertThat(nodes.judge("n")).startsWith("under-utilized-" + state);
    }

    @ParameterizedTest
    @CsvSource({
        "ReplicaSet, Always, drainable",
        "ReplicaSet, Never, undrainable",
        "StatefulSet, Always, undrainable",
        "PyTorchJob, Always, undrainable"
    })
    void movesPodsThatAreReplacedAnyway(String controller, String restarts, String state) {
        testCluster.pool("p", onDemand(4)).pool("q", onDemand(4).min(1));
        little("n", 1);
        annotateAll(Map.of());
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editMetadata()
                .editFirstOwnerReference()
                .withKind(controller)
                .endOwnerReference()
                .endMetadata()
                .editSpec()
                .withRestartPolicy(restarts)
                .endSpec()
                .build());
        nodes.node("warm", "q", idleSince(LONG_AGO));
        assertThat(nodes.judge("n")).startsWith("under-utilized-" + state);
    }

    @Test
    void movesATrainingThatAMarkOfClusterAutoscalerLetsGo() {
        testCluster.pool("p", onDemand(4)).pool("q", onDemand(4).min(1));
        little("n", 1);
        annotateAll(Map.of("cluster-autoscaler.kubernetes.io/safe-to-evict", "true"));
        nodes.node("warm", "q", idleSince(LONG_AGO));
        assertThat(nodes.judge("n")).startsWith("under-utilized-drainable Cordon");
    }

    private void annotateAll(Map<String, String> annotations) {
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editMetadata()
                .withAnnotations(annotations)
                .endMetadata()
                .build());
    }

    @Test
    void movesPodsToAnIdleMachineThatStaysAnyway() {
        testCluster.pool("p", onDemand(4)).pool("q", onDemand(4).min(1));
        little("n", 1);
        nodes.node("warm", "q", idleSince(LONG_AGO));
        assertThat(nodes.judge("n")).endsWith("all its pods fit on warm");
    }

    @Test
    void movesNoPodToAMachineOfAPoolThatItsTierDoesNotName() {
        testCluster.pool("p", onDemand(4)).pool("q", onDemand(4).min(1)).tier("t", "p");
        little("n", 1);
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations(Names.TIER, "t")
                .endMetadata()
                .build());
        nodes.node("warm", "q", idleSince(LONG_AGO));
        assertThat(nodes.judge("n")).contains("fits on no other machine that is kept");
    }

    @Test
    void givesTheSameRoomToNobodyTwice() {
        little("n1", 1);
        little("n2", 1);
        little("n3", 1);
        busy("b", 2);
        assertThat(nodes.verdicts(Set.of()))
                .filteredOn(verdict -> verdict.contains("Cordon"))
                .extracting(verdict -> verdict.substring(0, 2))
                .containsExactly("n1", "n2");
        assertThat(nodes.judge("n3")).contains("fits on no other machine that is kept");
    }

    @Test
    void emptiesOneOfTwoMachinesIntoTheOther() {
        little("n1", 1);
        little("n2", 1);
        assertThat(nodes.verdicts(Set.of()))
                .containsExactly(
                        "n1 under-utilized-drainable Cordon: 1 pod uses 25 % of its GPUs for 1h; all its pods fit on n2",
                        "n2 under-utilized-drainable Keep: 1 pod uses 25 % of its GPUs; pods of other machines will move to this machine");
    }

    @Test
    void emptiesTheDearestMachineFirst() {
        testCluster.pool("p", onDemand(4).price("1")).pool("q", onDemand(4).price("2"));
        little("cheap", 1);
        nodes.node("dear", "q", littleUsedSince(LONG_AGO)).running("on-dear", "dear", "nvidia.com/gpu", "1");
        assertThat(nodes.judge("dear")).contains("Cordon").endsWith("all its pods fit on cheap");
        assertThat(nodes.judge("cheap")).contains("Keep");
    }

    @Test
    void leavesTheRoomAloneThatThePlanMeansForPodsThatWait() {
        little("n", 1);
        busy("b", 3);
        assertThat(nodes.verdicts(Set.of("b")).get(1)).contains("fits on no other machine that is kept");
        assertThat(nodes.verdicts(Set.of("n")).get(1))
                .contains("Keep")
                .contains("the node is reserved for pending pods");
    }

    @Test
    void emptiesNothingWhilePodsWaitThatThePoolCouldRun() {
        testCluster.tier("t", "p").waiting(1, "next", "t", "nvidia.com/gpu", "4");
        little("n", 1);
        busy("b", 3);
        assertThat(nodes.judge("n")).contains("Keep").endsWith("pending pod team/next-1 could use a machine of pool p");
        testCluster.later(Duration.ofMinutes(15));
        assertThat(nodes.judge("n")).contains("Cordon");
    }

    @Test
    void isNotHeldUpByPodsThatWaitForOtherPools() {
        testCluster.pool("q", spot(8)).tier("t", "q").waiting(1, "next", "t", "nvidia.com/gpu", "8");
        little("n", 1);
        busy("b", 3);
        assertThat(nodes.judge("n")).contains("Cordon");
    }

    @Test
    void isNotHeldUpByPodsWithoutGpusAndTierThatWouldFitItsGpuMachines() {
        testCluster.waiting(1, "next", null, "cpu", "1");
        little("n", 1);
        busy("b", 3);
        assertThat(nodes.judge("n")).contains("Cordon");
    }

    @Test
    void movesNoPodWithoutGpusToAGpuMachine() {
        testCluster.pool("c", onDemand(0));
        nodes.node("n", "c", littleUsedSince(LONG_AGO)).running("small", "n", "cpu", "1");
        busy("b", 1);
        assertThat(nodes.judge("n")).contains("fits on no other machine that is kept");
    }

    @Test
    void movesPodsWithoutGpusToGpuMachinesOnlyIfTheyMayAlwaysUseThem() {
        testCluster.pool("c", onDemand(0));
        nodes.node("n", "c", littleUsedSince(LONG_AGO)).running("small", "n", "cpu", "1");
        busy("b", 1);
        testCluster.cpuPodsOnGpuNodes = CpuPodsOnGpuNodes.LAST;
        assertThat(nodes.judge("n")).contains("fits on no other machine that is kept");

        testCluster.cpuPodsOnGpuNodes = CpuPodsOnGpuNodes.ALWAYS;
        assertThat(nodes.judge("n")).endsWith("all its pods fit on b");
    }

    @Test
    void emptiesNoMoreMachinesUntilWhatWasOnTheLastOnesHasFoundItsPlace() {
        little("n", 1);
        busy("b", 2);
        nodes.node("emptied", removing("under-utilized, 2026-01-01T11:59:00Z"));
        assertThat(nodes.judge("n"))
                .contains("Keep")
                .endsWith("the machine is drained after the pods of other drained machines are placed");
    }

    @Test
    void setsRoomAsideForWhatIsOnAMachineThatIsSlowToEmpty() {
        little("n", 1);
        busy("b", 3);
        nodes.node("slow", removing("under-utilized, 2026-01-01T11:54:00Z"))
                .running("held", "slow", "nvidia.com/gpu", "1");
        assertThat(nodes.judge("slow")).startsWith("draining Evict");
        assertThat(nodes.judge("n")).contains("fits on no other machine that is kept");
    }

    @Test
    void neverGoesBelowTheMinimum() {
        testCluster.pool("p", onDemand(4).min(2));
        little("n", 1);
        busy("b", 3);
        assertThat(nodes.judge("n")).contains("Keep").endsWith("pool p is at its minimum of 2");
    }

    @Test
    void leavesAPodAloneThatWasScheduledLately() {
        little("n", 1);
        nodes.lastPod(scheduled("2026-01-01T11:00:01Z"));
        busy("b", 3);
        assertThat(nodes.judge("n"))
                .startsWith("under-utilized-undrainable Keep")
                .endsWith(
                        "pod team/n-1 is not moved for the first 1h on its node (spec.scaleDown.drainGrace), until 2026-01-01T12:00:01Z");
        testCluster.later(Duration.ofSeconds(1));
        assertThat(nodes.judge("n")).contains("Cordon");
    }

    @ParameterizedTest
    @CsvSource({"0, under-utilized-undrainable Keep", "1, under-utilized-drainable Cordon"})
    void emptiesAMachineOnlyWhenDisruptionBudgetsAllowItNow(int allowed, String expected) {
        little("n", 1);
        budget("few", allowed, "n-1");
        busy("b", 3);
        assertThat(nodes.judge("n")).startsWith(expected);
    }

    @Test
    void usesADisruptionBudgetForOneMachineOnly() {
        little("n1", 1);
        little("n2", 1);
        budget("few", 1, "n1-1", "n2-1");
        busy("b", 2);
        assertThat(nodes.judge("n1")).contains("Cordon");
        assertThat(nodes.judge("n2"))
                .endsWith(
                        "disruption budget team/few allows the eviction of 0 pods, but 1 of its pods are on the node");
    }

    /** Each of the two pods leaves without the eviction that the budget allows. */
    @Test
    void podsThatAreNotReadyUseUpNoDisruptionBudget() {
        little("n1", 1);
        little("n2", 1);
        budget("few", 0, "n1-1", "n2-1");
        testCluster.budgets.get(0).getSpec().setUnhealthyPodEvictionPolicy("AlwaysAllow");
        busy("b", 2);

        assertThat(nodes.judge("n1")).contains("Cordon");
        assertThat(nodes.judge("n2")).contains("Cordon");
    }

    @Test
    void doesNotTryWhatKubernetesDoesNotSupport() {
        little("n", 1);
        budget("one", 1, "n-1");
        budget("two", 1, "n-1");
        busy("b", 3);
        assertThat(nodes.judge("n")).contains("it has more than one disruption budget, such as team/one and team/two");
    }

    @Test
    void movesNoPodOfWhichItIsNotKnownWhereItFits() {
        little("n", 1);
        nodes.lastPod(pod -> pod.editSpec()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim("data", false)
                .endVolume()
                .endSpec());
        busy("b", 3);
        assertThat(nodes.judge("n"))
                .endsWith("the scaler does not know where it fits, because of its persistent volume claims");
    }

    @ParameterizedTest
    @CsvSource({"'', Memory, Cordon", "'', '', Keep", "scratch, '', Cordon"})
    void movesNoPodThatKeepsSomethingOnTheMachinesDisk(String expendable, String medium, String step) {
        little("n", 1);
        nodes.lastPod(pod -> pod.editMetadata()
                .addToAnnotations("cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes", "other," + expendable)
                .endMetadata()
                .editSpec()
                .addNewVolume()
                .withName("scratch")
                .withNewEmptyDir()
                .withMedium(medium)
                .endEmptyDir()
                .endVolume()
                .endSpec());
        busy("b", 3);
        assertThat(nodes.judge("n")).contains(" " + step + ": ");
    }

    @Test
    void movesAPodWhoseDriverIsMountedFromTheMachine() {
        little("n", 1);
        nodes.lastPod(pod -> pod.editSpec()
                .addNewVolume()
                .withName("driver")
                .withNewHostPath("/usr/lib/nvidia-384", "Directory")
                .endVolume()
                .editFirstContainer()
                .addNewVolumeMount()
                .withName("driver")
                .withMountPath("/usr/lib/nvidia-384")
                .withReadOnly(true)
                .endVolumeMount()
                .endContainer()
                .endSpec());
        busy("b", 3);
        assertThat(nodes.judge("n")).contains("Cordon");
    }

    @Test
    void movesABarePodThatIsMarkedSafeToEvict() {
        little("n", 1);
        nodes.lastPod(pod -> pod.editMetadata()
                .withOwnerReferences()
                .addToAnnotations("cluster-autoscaler.kubernetes.io/safe-to-evict", "true")
                .endMetadata());
        busy("b", 3);
        assertThat(nodes.judge("n")).contains("Cordon");
    }

    @Test
    void usesAMachineAgainThatIsBeingEmptiedWhenItsPodFitsNowhereElseAnyMore() {
        nodes.node("n", removing("under-utilized, 2026-01-01T11:59:58Z")).running("small", "n", "nvidia.com/gpu", "1");
        busy("b", 4);
        assertThat(nodes.judge("n"))
                .isEqualTo("under-utilized-undrainable Uncordon: pod team/small no longer fits on another machine");
    }

    @Test
    void emptiesAMachineThatIsPaidForOnlyWhenThatIsNearlyOver() {
        testCluster.pool("p", onDemand(4).billingIncrement("1h"));
        little("n", 1);
        busy("b", 3);
        assertThat(nodes.judge("n"))
                .contains("Keep")
                .endsWith("the machine is paid for and stays until 2026-01-01T12:50:00Z");
        testCluster.later(Duration.ofMinutes(50));
        assertThat(nodes.judge("n")).contains("Cordon");
    }

    private void little(String name, int gpus) {
        on(name, gpus, littleUsedSince(LONG_AGO));
    }

    private void busy(String name, int gpus) {
        on(name, gpus, node -> node);
    }

    private void on(String name, int gpus, UnaryOperator<NodeBuilder> change) {
        nodes.node(name, change);
        for (int i = 1; i <= gpus; i++) {
            testCluster.running(name + "-" + i, name, "nvidia.com/gpu", "1");
        }
    }

    private static UnaryOperator<PodBuilder> scheduled(String time) {
        return pod -> pod.editStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("True")
                .withLastTransitionTime(time)
                .endCondition()
                .endStatus();
    }

    private void budget(String name, int allowed, String... pods) {
        testCluster.pods.stream()
                .filter(pod -> Set.of(pods).contains(pod.getMetadata().getName()))
                .forEach(pod -> pod.getMetadata().setLabels(Map.of("app", "covered")));
        testCluster.budgets.add(new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .addToMatchLabels("app", "covered")
                .endSelector()
                .endSpec()
                .withNewStatus()
                .withDisruptionsAllowed(allowed)
                .endStatus()
                .build());
    }
}
