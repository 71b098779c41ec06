package dev.trainyard.scaler.lifecycle;

import static dev.trainyard.scaler.Objects.onDemand;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LifecycleTest {

    private static final String LONG_AGO = "2026-01-01T11:00:00Z";

    private static final String HALF_A_MINUTE_AGO = "2026-01-01T11:59:30Z";

    private final SnapshotFixture testCluster = new SnapshotFixture().pool("p", onDemand(1));
    private final List<Machine> machines = new ArrayList<>();

    @Test
    void cordonsAMachineThatHasBeenIdleForLongEnough() {
        node("n", idleSince(LONG_AGO));
        assertThat(judge("n")).isEqualTo("idle-schedulable Cordon: idle for 1h");
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:50:01Z, grace-period Keep", "2026-01-01T11:50:00Z, idle-schedulable Cordon"})
    void measuresIdlenessSinceTheLastPodNotAge(String since, String expected) {
        node("n", idleSince(since));
        assertThat(judge("n")).startsWith(expected);
    }

    @Test
    void givesANodeThatIsSeenIdleForTheFirstTimeItsFullTime() {
        node("n", node -> node);
        assertThat(judge("n")).isEqualTo("grace-period Keep: idle for 0s");
    }

    @Test
    void keepsAMachineThatRunsAPod() {
        node("n", idleSince(LONG_AGO)).running("train", "n", "nvidia.com/gpu", "1");
        assertThat(judge("n")).isEqualTo("busy Keep: 1 pod uses 100 % of its GPUs");
    }

    @Test
    void doesNotCountPodsThatHaveEnded() {
        node("n", idleSince(LONG_AGO));
        for (var phase : List.of("Succeeded", "Failed")) {
            testCluster.pods.add(new PodBuilder(Objects.running(phase, "n", "nvidia.com/gpu", "1"))
                    .editStatus()
                    .withPhase(phase)
                    .endStatus()
                    .build());
        }
        assertThat(judge("n")).startsWith("idle-schedulable Cordon");
    }

    /** A pod that is deleted by now may have run on the node until a moment ago. */
    @Test
    void givesANodeItsFullTimeWhateverEndedOnItBeforeItWasSeenIdle() {
        node("n", node -> node);
        testCluster.pods.add(new PodBuilder(Objects.running("earlier", "n", "nvidia.com/gpu", "1"))
                .editStatus()
                .withPhase("Succeeded")
                .withContainerStatuses(new ContainerStatusBuilder()
                        .withNewState()
                        .withNewTerminated()
                        .withFinishedAt(LONG_AGO)
                        .endTerminated()
                        .endState()
                        .build())
                .endStatus()
                .build());
        assertThat(judge("n")).isEqualTo("grace-period Keep: idle for 0s");
    }

    @Test
    void doesNotCountDaemonSetPodsAndMirrorPods() {
        node("n", idleSince(LONG_AGO));
        testCluster.pods.add(owned("daemon", "DaemonSet"));
        testCluster.pods.add(new PodBuilder(Objects.running("mirror", "n"))
                .editMetadata()
                .addToAnnotations("kubernetes.io/config.mirror", "x")
                .endMetadata()
                .build());
        assertThat(judge("n")).startsWith("idle-schedulable Cordon");
    }

    @ParameterizedTest
    @CsvSource({
        "trainyard.dev/do-not-disrupt, true",
        "cluster-autoscaler.kubernetes.io/safe-to-evict, false",
        "karpenter.sh/do-not-disrupt, true",
        "openai/do-not-drain, true"
    })
    void namesThePodThatMustNotBeInterrupted(String mark, String value) {
        node("n", idleSince(LONG_AGO));
        testCluster.pods.add(new PodBuilder(Objects.running("held", "n", "cpu", "100m"))
                .editMetadata()
                .addToAnnotations(mark, value)
                .endMetadata()
                .build());
        assertThat(judge("n"))
                .startsWith("under-utilized-undrainable Keep")
                .endsWith("pod team/held must not be interrupted: it is marked %s: \"%s\"".formatted(mark, value));
    }

    @Test
    void namesABarePodAsOneThatNobodyWouldMakeAgain() {
        node("n", idleSince(LONG_AGO));
        testCluster.pods.add(new PodBuilder(Objects.running("bare", "n", "cpu", "100m"))
                .editMetadata()
                .withOwnerReferences(List.of())
                .endMetadata()
                .build());
        assertThat(judge("n")).startsWith("under-utilized-undrainable").contains("it has no controller");
    }

    @Test
    void keepsAMachineForAPodThatWaits() {
        node("n", idleSince(LONG_AGO));
        assertThat(verdicts(Set.of("n"))).containsExactly("n pod-pending Keep: the node is reserved for pending pods");
    }

    @Test
    void neverGoesBelowTheMinimum() {
        testCluster.pool("p", onDemand(1).min(2));
        node("a", idleSince("2026-01-01T10:00:00Z"));
        node("b", idleSince(LONG_AGO));
        node("c", idleSince(LONG_AGO));
        assertThat(verdicts(Set.of()))
                .containsExactly(
                        "a idle-schedulable Cordon: idle for 2h",
                        "b asg-min-size Keep: idle for 1h; pool p is at its minimum of 2",
                        "c asg-min-size Keep: idle for 1h; pool p is at its minimum of 2");
    }

    @Test
    void keepsSpareMachinesWarm() {
        testCluster.pool("p", onDemand(1).spare(1));
        node("a", idleSince(LONG_AGO));
        node("b", idleSince(LONG_AGO));
        assertThat(verdicts(Set.of()))
                .containsExactly(
                        "a idle-schedulable Cordon: idle for 1h",
                        "b spare-agent Keep: idle for 1h; pool p keeps 1 spare");
    }

    @Test
    void removesALargeBurstInPartsButAlwaysSome() {
        for (int i = 0; i < 40; i++) {
            node("n%02d".formatted(i), idleSince(LONG_AGO));
        }
        assertThat(verdicts(Set.of()).stream().filter(v -> v.contains("Cordon")))
                .hasSize(10);
        assertThat(verdicts(Set.of()).stream()
                        .filter(v ->
                                v.contains("the machine is removed later: the limit of removals at a time is reached")))
                .hasSize(30);
    }

    @Test
    void removesMoreWhileTheRemovalOfOthersIsStuck() {
        for (int i = 0; i < 12; i++) {
            node("stuck%02d".formatted(i), removing("idle, " + LONG_AGO));
        }
        for (int i = 0; i < 12; i++) {
            node("under-way%02d".formatted(i), removing("launch-timeout, 2026-01-01T11:59:59Z"))
                    .running("held" + i, "under-way%02d".formatted(i), "cpu", "1");
            testCluster.pods.get(i).getMetadata().setOwnerReferences(List.of());
        }
        node("z", idleSince(LONG_AGO));
        assertThat(judge("z")).startsWith("idle-schedulable Cordon");
    }

    @Test
    void waitsForRemovalsOfItsOwnPoolOnly() {
        testCluster.pool("q", onDemand(1));
        for (int i = 0; i < 10; i++) {
            node("a%d".formatted(i), removing("idle, 2026-01-01T11:59:59Z"));
        }
        node("b", idleSince(LONG_AGO));
        testCluster
                .node("c", "q", idleSince(LONG_AGO))
                .cloud("q", 1, SnapshotFixture.machine("q", "c", State.RUNNING, Objects.NOON));
        assertThat(judge("b")).endsWith("the machine is removed later: the limit of removals at a time is reached");
        assertThat(judge("c")).startsWith("idle-schedulable Cordon");
    }

    @ParameterizedTest
    @ValueSource(strings = {"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"})
    void neverTouchesAControlPlaneNode(String label) {
        node(
                "n",
                node -> idleSince(LONG_AGO)
                        .apply(node)
                        .editMetadata()
                        .addToLabels(label, "")
                        .endMetadata());
        assertThat(judge("n")).isEqualTo("detached Keep: it is a control-plane node");
    }

    @Test
    void neverTouchesWhatAnOperatorCordoned() {
        node("n", cordoned(node -> idleSince(LONG_AGO).apply(node)));
        assertThat(judge("n")).startsWith("cordoned-by-operator Keep");
    }

    @ParameterizedTest
    @CsvSource({
        "2025-12-31T12:00:00Z, 2025-12-31T11:00:00Z, cordoned-by-operator Cordon",
        "2025-12-31T11:00:00Z, 2025-12-31T12:00:00Z, cordoned-by-operator Cordon",
        "2025-12-31T12:00:01Z, 2025-12-31T11:00:00Z, cordoned-by-operator Keep",
        "2025-12-31T11:00:00Z, 2025-12-31T12:00:01Z, cordoned-by-operator Keep"
    })
    void removesANodeThatWasLeftCordonedAndIdleForADay(String cordoned, String idle, String verdict) {
        node(
                "n",
                cordoned(node ->
                        marked("cordoned-since", cordoned).apply(idleSince(idle).apply(node))));
        assertThat(judge("n")).startsWith(verdict);
    }

    @Test
    void saysWhenANodeThatWasLeftCordonedGoes() {
        node(
                "n",
                cordoned(node -> marked("cordoned-since", LONG_AGO)
                        .apply(idleSince(LONG_AGO).apply(node))));
        assertThat(judge("n"))
                .isEqualTo(
                        "cordoned-by-operator Keep: the node is cordoned, and not by Trainyard. The node is idle: its machine is removed after "
                                + "2026-01-02T11:00:00Z, unless the node is marked trainyard.dev/do-not-disrupt: \"true\"");
    }

    @Test
    void countsADayFromWhenItFirstSeesACordon() {
        node("n", cordoned(idleSince("2025-12-01T11:00:00Z")));
        assertThat(judge("n")).startsWith("cordoned-by-operator Keep");
        assertThat(notes("n")).containsEntry("trainyard.dev/cordoned-since", Optional.of("2026-01-01T12:00:00Z"));
    }

    @Test
    void onlyStartsOfPeriodsMayBeWrittenLater() {
        node("starts", UnaryOperator.identity());
        node("cordon-starts", cordoned(idleSince(LONG_AGO)));
        node(
                "cordon-ends",
                node -> marked("cordoned-since", LONG_AGO)
                        .apply(idleSince(LONG_AGO).apply(node)));
        node("used", idleSince(LONG_AGO));
        testCluster.running("train", "used", "nvidia.com/gpu", "1");
        testCluster
                .pool("s", Objects.spot(1))
                .node("missing", "s", LifecycleTest::notReady)
                .cloud("s", 0);

        assertThat(notes("starts")).containsKeys("trainyard.dev/usable-since", "trainyard.dev/idle-since");
        assertThat(canWait("starts")).isTrue();
        assertThat(notes("cordon-starts")).containsKey("trainyard.dev/cordoned-since");
        assertThat(canWait("cordon-starts")).isTrue();
        assertThat(canWait("cordon-ends")).isFalse();
        assertThat(notes("used")).containsEntry("trainyard.dev/idle-since", Optional.empty());
        assertThat(canWait("used")).isFalse();
        assertThat(notes("missing")).containsKey("trainyard.dev/missing-since");
        assertThat(canWait("missing")).isFalse();
    }

    @Test
    void forgetsACordonThatIsOver() {
        node(
                "n",
                node -> marked("cordoned-since", LONG_AGO)
                        .apply(idleSince(LONG_AGO).apply(node)));
        assertThat(notes("n")).containsEntry("trainyard.dev/cordoned-since", Optional.empty());
    }

    @Test
    void ordersTheMachineOfANodeThatWasLeftCordonedToGo() {
        node("n", cordoned(removing("left-cordoned, " + LONG_AGO)));
        assertThat(judge("n")).isEqualTo("idle-unschedulable Terminate: left-cordoned");
    }

    @Test
    void keepsANodeThatWasLeftCordonedIfItIsUncordonedInTime() {
        node("n", removing("left-cordoned, " + LONG_AGO));
        assertThat(judge("n"))
                .isEqualTo(
                        "grace-period Uncordon: the cordon or taint that was not the scaler's was removed: the scaler cancels the removal");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ToBeDeletedByClusterAutoscaler",
                "karpenter.sh/disrupted",
                "remediator.kubernetes.azure.com/unschedulable"
            })
    void leavesANodeToWhoeverTaintedItToRemoveIt(String taint) {
        node("n", node -> Nodes.tainted(taint).apply(idleSince(LONG_AGO).apply(node)));
        assertThat(judge("n")).startsWith("cordoned-by-operator Keep: the node has taint " + taint);
    }

    @Test
    void takesAMarkThatItCannotReadForAnOperators() {
        node("n", cordoned(marked("removing", "because I say so")));
        assertThat(judge("n")).startsWith("cordoned-by-operator Keep");
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:59:59Z, Keep", "2026-01-01T11:59:58Z, Terminate"})
    void ordersTheMachineToGoWhenTheSchedulerHasHadTimeToNotice(String since, String step) {
        node("n", removing("idle, " + since));
        assertThat(judge("n")).startsWith("idle-unschedulable " + step);
    }

    @Test
    void givesAMachineBackWhenAPodLandedOnItAfterAll() {
        node("n", removing("idle, " + LONG_AGO)).running("late", "n", "cpu", "1");
        assertThat(judge("n")).isEqualTo("busy-unschedulable Uncordon: pod team/late was placed on the node meanwhile");
    }

    @Test
    void givesAMachineBackWhoseTaintAnOperatorTookOff() {
        node("n", marked("removing", "idle, " + LONG_AGO + ", taint"));
        assertThat(judge("n"))
                .isEqualTo("grace-period Uncordon: the scaler's taint was removed by hand: the idle time starts again");
    }

    @Test
    void givesAMachineBackForAPodThatWaits() {
        node("n", removing("idle, " + LONG_AGO));
        assertThat(verdicts(Set.of("n")).get(0)).startsWith("n pod-pending Uncordon");
    }

    @Test
    void neverGivesBackAMachineThatWasOrderedToGo() {
        node(
                "n",
                node -> removing("idle, " + LONG_AGO)
                        .apply(node)
                        .editMetadata()
                        .addToAnnotations("trainyard.dev/terminating-since", LONG_AGO)
                        .endMetadata());
        assertThat(verdicts(Set.of("n")).get(0)).startsWith("n terminating Terminate");
    }

    @Test
    void deletesTheNodeOnceTheMachineThatWasOrderedToGoIsGone() {
        testCluster.node("n", "p", marked("terminating-since", LONG_AGO)).cloud("p", 0);
        assertThat(judge("n")).isEqualTo("instance-terminated Delete: pool p has no machine kwok://p/n any more");
    }

    @Test
    void neverDeletesANodeThatIsReadyForWantOfAMachine() {
        testCluster
                .node("n", "p", marked("missing-since", LONG_AGO))
                .cloud("p", 0)
                .later(Duration.ofHours(1));
        assertThat(judge("n")).startsWith("unmanaged Keep: pool p has no machine kwok://p/n, but the node is Ready");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T11:59:01Z, unmanaged Keep",
        "2026-01-01T11:59:00Z, 'instance-terminated Delete: pool p has no machine kwok://p/n any more, and the node is not Ready'"
    })
    void deletesANodeThatIsNotReadyWhenItsMachineHasBeenMissingForLongEnough(String since, String expected) {
        testCluster
                .node("n", "p", node -> notReady(marked("missing-since", since).apply(node)))
                .cloud("p", 0);
        assertThat(judge("n")).startsWith(expected);
    }

    /** A node that has just joined may run pods before the scaler sees that it is Ready. */
    @Test
    void takesANodeForOneOfAReclaimedSpotMachineOnlyIfItWasUsable() {
        testCluster.pool("s", Objects.spot(1)).cloud("s", 0);
        testCluster.node(
                "new",
                "s",
                node -> notReady(marked("missing-since", HALF_A_MINUTE_AGO).apply(node)));
        testCluster.running("train", "new", "nvidia.com/gpu", "1");
        testCluster.node(
                "old",
                "s",
                node -> notReady(marked("usable-since", LONG_AGO)
                        .apply(marked("missing-since", HALF_A_MINUTE_AGO).apply(node))));

        assertThat(judge("new")).startsWith("unmanaged Keep");
        assertThat(judge("old")).startsWith("evicted Delete");
    }

    @Test
    void notesSinceWhenTheMachineOfANodeThatIsNotReadyIsMissing() {
        testCluster.node("n", "p", LifecycleTest::notReady).cloud("p", 0);
        assertThat(judge("n")).startsWith("unmanaged Keep");
        assertThat(notes("n")).containsEntry("trainyard.dev/missing-since", Optional.of("2026-01-01T12:00:00Z"));
        testCluster.unreadable("p");
        assertThat(notes("n")).doesNotContainKey("trainyard.dev/missing-since");
    }

    @Test
    void forgetsThatAMachineWasMissingWhenItIsBack() {
        node("n", node -> notReady(marked("missing-since", LONG_AGO).apply(node)));
        assertThat(notes("n")).containsEntry("trainyard.dev/missing-since", Optional.empty());
    }

    @Test
    void deletesNothingWhenTheListingFailed() {
        testCluster.node("n", "p").unreadable("p").later(Duration.ofHours(1));
        assertThat(judge("n")).startsWith("grace-period Keep");
    }

    @Test
    void removesNothingWhileThePoolCannotBeRead() {
        node("n", idleSince(LONG_AGO));
        testCluster.unreadable("p");
        assertThat(judge("n")).startsWith("idle-schedulable Keep").contains("pool p cannot be read");
    }

    @Test
    void givesUpAMachineThatNeverBecameUsable() {
        testCluster
                .node(
                        "n",
                        "p",
                        node -> notReady(
                                marked("seen-since", Objects.NOON.toString()).apply(node)))
                .cloud("p", 1, SnapshotFixture.machine("p", "n", State.RUNNING, Objects.NOON));
        assertThat(judge("n")).isEqualTo("registering Keep: the node is not Ready yet");
        testCluster.later(Duration.ofMinutes(15));
        assertThat(judge("n")).isEqualTo("launch-timeout Cordon: the node was not Ready within 15m");
    }

    @Test
    void takesANodeThatRunsTrainingWhenItIsFirstSeenForOneThatWasUsable() {
        node("n", LifecycleTest::notReady)
                .running("train", "n", "nvidia.com/gpu", "1")
                .later(Duration.ofHours(1));
        assertThat(judge("n")).isEqualTo("dead Keep: the node was usable and is no longer Ready");
        assertThat(notes("n")).containsKey("trainyard.dev/usable-since");
    }

    @Test
    void takesNothingButTrainingForAProofThatANodeWasUsable() {
        node("n", LifecycleTest::notReady).running("log-shipper", "n", "cpu", "1");
        assertThat(judge("n")).startsWith("registering Keep");
    }

    @Test
    void givesANodeThatWasThereBeforeTheScalerItsFullTimeFromFirstSight() {
        node("n", LifecycleTest::notReady).later(Duration.ofHours(1));
        assertThat(judge("n")).isEqualTo("registering Keep: the node is not Ready yet");
        assertThat(notes("n")).containsEntry("trainyard.dev/seen-since", Optional.of("2026-01-01T13:00:00Z"));
        assertThat(testCluster.snapshot().pools().get("p").backsOff(testCluster.now))
                .isFalse();
    }

    @Test
    void givesUpANodeThatWasThereBeforeTheScalerWhenItsFullTimeIsOver() {
        node("n", node -> notReady(marked("seen-since", "2026-01-01T12:45:00Z").apply(node)))
                .later(Duration.ofMinutes(59));
        assertThat(judge("n")).startsWith("registering Keep");
        testCluster.later(Duration.ofMinutes(1));
        assertThat(judge("n")).startsWith("launch-timeout Cordon");
    }

    @Test
    void evictsWhatMayLeaveAMachineThatIsGivenUp() {
        testCluster
                .node(
                        "n",
                        "p",
                        node -> removing("launch-timeout, " + LONG_AGO)
                                .apply(node)
                                .editStatus()
                                .withConditions()
                                .endStatus())
                .cloud("p", 1, SnapshotFixture.machine("p", "n", State.RUNNING, Objects.NOON))
                .running("tolerant", "n", "cpu", "1");
        testCluster.pods.add(owned("daemon", "DaemonSet"));
        assertThat(judge("n")).isEqualTo("draining Evict: 1 pod has to leave");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T11:55:00Z, grace-period Keep: idle for 5m",
        "2026-01-01T11:00:00Z, idle-schedulable Cordon: idle for 1h"
    })
    void removesANodeThatLostAGpuWhenItIsIdleEvenAtTheMinimum(String idleSince, String expected) {
        testCluster.pool("p", onDemand(8).min(1));
        node(
                "n",
                node -> idleSince(idleSince)
                        .apply(node)
                        .editStatus()
                        .addToAllocatable("nvidia.com/gpu", new Quantity("7"))
                        .endStatus());

        assertThat(judge("n")).isEqualTo(expected + "; the node is no longer reporting its 8 GPUs");

        testCluster.running("train", "n", "nvidia.com/gpu", "7");
        assertThat(judge("n"))
                .isEqualTo("busy Keep: 1 pod uses 100 % of its GPUs; the node is no longer reporting its 8 GPUs");
    }

    @Test
    void callsANodeDeadThatWasUsableAndIsNotReady() {
        node(
                "n",
                node -> node.editMetadata()
                        .addToAnnotations("trainyard.dev/usable-since", LONG_AGO)
                        .endMetadata()
                        .editStatus()
                        .withConditions()
                        .endStatus());
        assertThat(judge("n")).isEqualTo("dead Keep: the node was usable and is no longer Ready");
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:45:01Z, dead Keep", "2026-01-01T11:45:00Z, dead Cordon"})
    void removesADeadNodeAfterAsLongAsANewOneMayTake(String since, String expected) {
        node("n", deadSince(since));
        assertThat(judge("n")).startsWith(expected);
    }

    @Test
    void keepsADeadNodeWithAPodThatMustNotBeInterrupted() {
        node("n", deadSince(LONG_AGO)).running("bare", "n", "nvidia.com/gpu", "1");
        testCluster.pods.get(0).getMetadata().setOwnerReferences(List.of());
        assertThat(judge("n")).startsWith("dead Keep").contains("it has no controller");
    }

    /** Kubernetes deleted the pod, as it does five minutes after a kubelet fell silent, which cannot be undone. */
    @ParameterizedTest
    @CsvSource({
        "2026-01-01T11:59:01Z, dead Keep, draining Keep",
        "2026-01-01T11:59:00Z, dead Cordon, idle-unschedulable Terminate"
    })
    void keepsADeadNodeForAPodThatMustNotBeInterruptedUntilItsTimeToEndIsOver(
            String end, String cordoned, String removed) {
        node("n", deadSince(LONG_AGO)).running("bare", "n", "nvidia.com/gpu", "1");
        testCluster.pods.get(0).getMetadata().setOwnerReferences(List.of());
        testCluster.pods.get(0).getMetadata().setDeletionTimestamp(end);
        assertThat(judge("n")).startsWith(cordoned);

        testCluster.nodes.clear();
        node("n", node -> removing("dead, " + LONG_AGO).apply(notReady(node)));
        assertThat(judge("n")).startsWith(removed);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-01T11:59:01Z, 'busy Keep: 1 pod uses 17 % of the node'",
        "2026-01-01T11:50:01Z, 'busy Keep: 1 pod uses 17 % of the node; pod team/hung should have ended by 2026-01-01T11:50:01Z and has not'",
        "2026-01-01T11:50:00Z, 'idle-schedulable Cordon: idle for 1h; pod team/hung should have ended by 2026-01-01T11:50:00Z and has not'"
    })
    void countsANodeAsIdleTenMinutesAfterItsLastPodHadToEnd(String end, String verdict) {
        testCluster.pool("p", onDemand(0).min(1).spare(1).utilizationBelow("0"));
        node("n", idleSince(LONG_AGO)).running("hung", "n", "cpu", "1");
        testCluster.pods.get(0).getMetadata().setDeletionTimestamp(end);
        assertThat(judge("n")).isEqualTo(verdict);
    }

    @Test
    void keepsTheMinimumWithoutANodeOnWhichAPodHangs() {
        testCluster.pool("p", onDemand(1).min(1));
        node("hangs", idleSince(LONG_AGO)).running("hung", "hangs", "nvidia.com/gpu", "1");
        testCluster.pods.get(0).getMetadata().setDeletionTimestamp("2026-01-01T11:50:00Z");
        node("works", idleSince("2026-01-01T10:00:00Z"));
        assertThat(judge("works")).startsWith("asg-min-size Keep");
        assertThat(judge("hangs")).startsWith("idle-schedulable Cordon");
    }

    /** An invalid spec of the pool will be fixed at some time. */
    @Test
    void forgetsThatANodeWasIdleAlsoWhileItsPoolIsUnknown() {
        testCluster.node("n", "p", idleSince(LONG_AGO)).pools.remove("p");
        assertThat(notes("n")).isEmpty();
        testCluster.running("train", "n", "nvidia.com/gpu", "1");
        assertThat(notes("n")).isEqualTo(Map.of("trainyard.dev/idle-since", Optional.empty()));
    }

    @Test
    void notesSinceWhenANodeHasNothingButAPodThatDoesNotEnd() {
        node("n", marked("usable-since", LONG_AGO)).running("hung", "n", "cpu", "1");
        testCluster.pods.get(0).getMetadata().setDeletionTimestamp("2026-01-01T11:50:00Z");
        assertThat(notes("n")).containsEntry("trainyard.dev/idle-since", Optional.of("2026-01-01T12:00:00Z"));
    }

    @Test
    void doesNotWaitForADeadNodeToConfirmThatItsPodsHaveEnded() {
        node("n", node -> removing("dead, " + LONG_AGO).apply(notReady(node))).running("train", "n", "cpu", "1");
        testCluster.pods.get(0).getMetadata().setDeletionTimestamp(LONG_AGO);
        assertThat(judge("n")).isEqualTo("idle-unschedulable Terminate: dead");
    }

    @Test
    void takesBackADeadNodeThatIsReadyAgain() {
        node("n", removing("dead, " + LONG_AGO));
        assertThat(judge("n")).isEqualTo("grace-period Uncordon: the node is Ready again");
    }

    @Test
    void leavesANodeAloneThatCannotBeRead() {
        node(
                "n",
                node -> node.editStatus()
                        .addToAllocatable("cpu", new io.fabric8.kubernetes.api.model.Quantity("lots"))
                        .endStatus());
        assertThat(judge("n")).startsWith("detached Keep: it cannot be read: status.allocatable cpu");
    }

    @Test
    void givesUpMachinesThatFailedOrWhoseNodesNeverJoined() {
        testCluster.cloud(
                "p",
                3,
                SnapshotFixture.machine("p", "failed", State.FAILED, Objects.NOON),
                SnapshotFixture.machine("p", "slow", State.RUNNING, Objects.NOON.minus(Duration.ofMinutes(15))),
                SnapshotFixture.machine("p", "young", State.RUNNING, Objects.NOON));
        assertThat(Losses.of(testCluster.snapshot()))
                .extracting(lost -> lost.machine().id() + ": " + lost.reason())
                .containsExactly("failed: the cloud reports it as failed", "slow: its node did not join within 15m");
    }

    @Test
    void releasesHeldMachineOnceItsNodeIsEmptyOrGone() {
        var held = SnapshotFixture.machine("p", "n", State.HELD, Objects.NOON);
        testCluster.cloud("p", 0, held);
        assertThat(Losses.of(testCluster.snapshot()))
                .extracting(LostMachine::machine)
                .containsExactly(held);

        node("n", idleSince(LONG_AGO));
        testCluster.cloud("p", 0, held);
        assertThat(judge("n")).as("it is cordoned first").startsWith("reclaim-announced Drain");

        testCluster.node("again", "p", marked("terminating-since", LONG_AGO));
        testCluster.cloud("p", 0, SnapshotFixture.machine("p", "again", State.HELD, Objects.NOON));
        assertThat(judge("again")).as("the release may have been lost").startsWith("terminating Terminate");
    }

    @Test
    void givesUpNoMachineOfAPoolThatHasAUsableNodeWhichMatchesNone() {
        testCluster
                .node(
                        "n",
                        "p",
                        node -> node.editSpec().withProviderID("aws:///x").endSpec())
                .cloud(
                        "p",
                        1,
                        SnapshotFixture.machine("p", "slow", State.RUNNING, Objects.NOON.minus(Duration.ofHours(1))));
        assertThat(Losses.of(testCluster.snapshot())).isEmpty();
        assertThat(Losses.mismatches(testCluster.snapshot()).get("n"))
                .startsWith(
                        "its spec.providerID aws:///x matches no machine of pool p, but machine slow (kwok://p/slow)");
    }

    @Test
    void foreignNodesWithThePoolsLabelsKeepNoMachineThatNeverJoined() {
        var hourAgo = Objects.NOON.minus(Duration.ofHours(1));
        testCluster
                .node("older", "p", node -> foreign(node, hourAgo.minusSeconds(60)))
                .cloud("p", 1, SnapshotFixture.machine("p", "slow", State.RUNNING, hourAgo));
        assertThat(Losses.of(testCluster.snapshot())).hasSize(1);

        testCluster
                .node("younger", "p", node -> foreign(node, hourAgo.plusSeconds(60)))
                .node("own", "p")
                .cloud(
                        "p",
                        2,
                        SnapshotFixture.machine("p", "slow", State.RUNNING, hourAgo),
                        SnapshotFixture.machine("p", "own", State.RUNNING, hourAgo));
        assertThat(Losses.of(testCluster.snapshot()))
                .extracting(lost -> lost.machine().id())
                .containsExactly("slow");
        assertThat(Losses.mismatches(testCluster.snapshot())).isEmpty();
    }

    @Test
    void foreignNodesWithThePoolsLabelsKeepNoMinimumAndTeachNothing() {
        testCluster.pool("p", onDemand(1).min(1));
        node("n", idleSince(LONG_AGO))
                .node(
                        "foreign",
                        "p",
                        node -> foreign(node, Objects.NOON.plusSeconds(1))
                                .editStatus()
                                .addToAllocatable("cpu", new Quantity("1"))
                                .endStatus());

        assertThat(judge("n")).isEqualTo("asg-min-size Keep: idle for 1h; pool p is at its minimum of 1");
        assertThat(judge("foreign")).startsWith("unmanaged Keep");
        assertThat(testCluster
                        .snapshot()
                        .pools()
                        .get("p")
                        .template()
                        .allocatable()
                        .get("cpu"))
                .isEqualTo(6000);
    }

    private static NodeBuilder foreign(NodeBuilder node, Instant created) {
        return node.editMetadata()
                .withCreationTimestamp(created.toString())
                .endMetadata()
                .editSpec()
                .withProviderID("kwok://elsewhere/x")
                .endSpec();
    }

    @Test
    void givesUpNoMachineWhoseTrainingRunsOnANodeThatMatchesNoneAndIsNotReady() {
        testCluster
                .node(
                        "n",
                        "p",
                        node -> notReady(
                                node.editSpec().withProviderID("aws:///x").endSpec()))
                .running("train", "n", "nvidia.com/gpu", "1")
                .cloud(
                        "p",
                        1,
                        SnapshotFixture.machine("p", "slow", State.RUNNING, Objects.NOON.minus(Duration.ofHours(1))));
        assertThat(Losses.of(testCluster.snapshot())).isEmpty();
    }

    @Test
    void givesUpNoMachineWhoseNodeIsLabelledForAnotherPool() {
        testCluster
                .node(
                        "n",
                        "p",
                        node -> node.editMetadata()
                                .withLabels(Map.of("trainyard.dev/pool", "gone"))
                                .endMetadata())
                .cloud(
                        "p",
                        1,
                        SnapshotFixture.machine("p", "n", State.RUNNING, Objects.NOON.minus(Duration.ofHours(1))));
        assertThat(judge("n")).startsWith("orphaned Keep");
        assertThat(Losses.of(testCluster.snapshot())).isEmpty();
    }

    @Test
    void managesANodeWithoutAnyLabelByItsMachine() {
        node(
                "n",
                node -> idleSince(LONG_AGO)
                        .apply(node)
                        .editMetadata()
                        .withLabels(Map.of())
                        .endMetadata());
        assertThat(judge("n")).startsWith("idle-schedulable Cordon");
    }

    @Test
    void givesUpAMachineAllTheSameWhileTheNodeOfAnotherIsOnItsWayOut() {
        testCluster
                .node("n", "p", marked("terminating-since", LONG_AGO))
                .cloud(
                        "p",
                        1,
                        SnapshotFixture.machine("p", "slow", State.RUNNING, Objects.NOON.minus(Duration.ofHours(1))));
        assertThat(Losses.of(testCluster.snapshot())).hasSize(1);
    }

    private SnapshotFixture node(String name, UnaryOperator<NodeBuilder> change) {
        machines.add(SnapshotFixture.machine("p", name, State.RUNNING, Objects.NOON));
        return testCluster.node(name, "p", change).cloud("p", machines.size(), machines.toArray(Machine[]::new));
    }

    private static UnaryOperator<NodeBuilder> idleSince(String time) {
        return node -> node.editMetadata()
                .addToAnnotations("trainyard.dev/usable-since", LONG_AGO)
                .addToAnnotations("trainyard.dev/idle-since", time)
                .endMetadata();
    }

    private static UnaryOperator<NodeBuilder> cordoned(UnaryOperator<NodeBuilder> change) {
        return node -> change.apply(node).editSpec().withUnschedulable(true).endSpec();
    }

    private static UnaryOperator<NodeBuilder> removing(String mark) {
        return Nodes.removing(mark);
    }

    private static UnaryOperator<NodeBuilder> marked(String mark, String value) {
        return node -> node.editMetadata()
                .addToAnnotations("trainyard.dev/" + mark, value)
                .endMetadata();
    }

    private static UnaryOperator<NodeBuilder> deadSince(String time) {
        return node -> notReady(marked("usable-since", "2026-01-01T10:00:00Z").apply(node))
                .editStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("Unknown")
                .withLastTransitionTime(time)
                .endCondition()
                .endStatus();
    }

    private static NodeBuilder notReady(NodeBuilder node) {
        return node.editStatus().withConditions().endStatus();
    }

    private Map<String, Optional<String>> notes(String node) {
        return NodeTimestamps.missing(view(node), testCluster.snapshot());
    }

    private boolean canWait(String node) {
        return NodeTimestamps.canWait(view(node), notes(node));
    }

    private NodeView view(String node) {
        return testCluster.snapshot().nodes().stream()
                .filter(view -> view.name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private static Pod owned(String name, String kind) {
        return new PodBuilder(Objects.running(name, "n", "cpu", "100m"))
                .editMetadata()
                .editFirstOwnerReference()
                .withKind(kind)
                .endOwnerReference()
                .endMetadata()
                .build();
    }

    private String judge(String node) {
        return verdicts(Set.of()).stream()
                .filter(verdict -> verdict.startsWith(node + " "))
                .findFirst()
                .orElseThrow()
                .substring(node.length() + 1);
    }

    private List<String> verdicts(Set<String> reserved) {
        return Lifecycle.judge(testCluster.snapshot(), reserved).stream()
                .map(verdict -> "%s %s %s: %s"
                        .formatted(
                                verdict.node().name(),
                                verdict.state(),
                                verdict.step().getClass().getSimpleName(),
                                verdict.reason()))
                .toList();
    }
}
