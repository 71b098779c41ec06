package dev.trainyard.scaler.lifecycle;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.lifecycle.Nodes.cordoned;
import static dev.trainyard.scaler.lifecycle.Nodes.deadSince;
import static dev.trainyard.scaler.lifecycle.Nodes.removing;
import static dev.trainyard.scaler.lifecycle.Nodes.tainted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.SnapshotFixture;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines that are being emptied, while another machine has free resources. */
class DrainingTest {

    /** As long ago as the pool's {@code provisionTimeout}. */
    private static final String LONG_SILENT = "2026-01-01T11:45:00Z";

    private static final String JUST_NOW = "under-utilized, 2026-01-01T11:59:50Z";

    private final SnapshotFixture testCluster = new SnapshotFixture().pool("p", onDemand(4));
    private final Nodes nodes = new Nodes(testCluster);

    DrainingTest() {
        nodes.node("room", node -> node)
                .running("r1", "room", "nvidia.com/gpu", "1")
                .running("r2", "room", "nvidia.com/gpu", "1");
    }

    @ParameterizedTest
    @CsvSource({
        "'1, 2026-01-01T11:59:50Z', Evict",
        "'1, 2026-01-01T11:59:51Z', Keep",
        "'2, 2026-01-01T11:59:41Z', Keep",
        "'2, 2026-01-01T11:59:40Z', Evict",
        "'99, 2026-01-01T11:58:01Z', Keep",
        "'99, 2026-01-01T11:58:00Z', Evict",
        "'nonsense', Evict"
    })
    void asksLessAndLessOftenWhatABudgetHoldsBack(String refusals, String step) {
        nodes.node("n", removing(JUST_NOW, "evictions-refused", refusals)).running("held", "n", "nvidia.com/gpu", "1");
        assertThat(nodes.judge("n")).startsWith("draining " + step);
    }

    @Test
    void usesAMachineAgainThatCouldNotBeEmptiedInTime() {
        nodes.node("n", removing("under-utilized, 2026-01-01T11:50:00Z")).running("held", "n", "nvidia.com/gpu", "1");
        assertThat(nodes.judge("n"))
                .isEqualTo(
                        "under-utilized-undrainable Uncordon: the eviction of pod team/held was refused; the drain timeout of 10m is over");
    }

    @Test
    void usesAMachineAgainWhenSomebodyForbidsMeanwhileThatAPodIsInterrupted() {
        nodes.node("n", removing(JUST_NOW)).running("held", "n", "nvidia.com/gpu", "1");
        nodes.lastPod(pod -> pod.editMetadata()
                .addToAnnotations("trainyard.dev/do-not-disrupt", "true")
                .endMetadata());
        assertThat(nodes.judge("n"))
                .startsWith("under-utilized-undrainable Uncordon: pod team/held must not be interrupted");
    }

    /** The pod's tier was changed, or the scaler was upgraded. */
    @Test
    void usesAMachineAgainWhenNothingSaysAnyMoreThatAPodCanBeResumed() {
        nodes.node("n", removing(JUST_NOW)).running("held", "n", "nvidia.com/gpu", "1");
        nodes.lastPod(pod -> pod.editMetadata()
                .removeFromAnnotations("trainyard.dev/resumable")
                .endMetadata());
        assertThat(nodes.judge("n"))
                .startsWith(
                        "under-utilized-undrainable Uncordon: pod team/held is not moved: it is not marked as resumable");
    }

    /** The drain grace is an hour. The pods that the scaler saw when it chose the machine had been there for at least an hour. */
    @ParameterizedTest
    @CsvSource({
        "2026-01-01T10:59:50Z, draining Evict: 1 pod has to leave",
        "2026-01-01T10:59:51Z, busy-unschedulable Uncordon: pod team/late was placed on the node meanwhile",
        "2026-01-01T11:59:55Z, busy-unschedulable Uncordon: pod team/late was placed on the node meanwhile"
    })
    void movesNoPodBeforeDrainGraceThatWasPlacedWhileTheMachineWasChosen(String scheduled, String verdict) {
        nodes.node("n", removing(JUST_NOW)).running("late", "n", "nvidia.com/gpu", "1");
        nodes.lastPod(pod -> pod.editStatus().withStartTime(scheduled).endStatus());
        assertThat(nodes.judge("n")).isEqualTo(verdict);
    }

    @ParameterizedTest
    @ValueSource(strings = {"idle, ", "under-utilized, ", "launch-timeout, ", "dead, "})
    void leavesANodeToWhoeverCordonedItMeanwhile(String reason) {
        nodes.node("n", cordoned(removing(reason + "2026-01-01T11:59:50Z")));
        assertThat(nodes.judge("n"))
                .isEqualTo("cordoned-by-operator Uncordon: the node is cordoned since the scaler began the removal: "
                        + "the scaler cancels the removal");
    }

    @Test
    void leavesANodeToAnAutoscalerThatTaintedItMeanwhile() {
        nodes.node(
                        "n",
                        node -> tainted("karpenter.sh/disrupted")
                                .apply(removing(JUST_NOW).apply(node)))
                .running("moved", "n", "nvidia.com/gpu", "1");
        assertThat(nodes.judge("n"))
                .startsWith("cordoned-by-operator Uncordon: the node has taint karpenter.sh/disrupted, "
                        + "set by Karpenter");
    }

    @Test
    void removesATaintThatNoMarkExplains() {
        nodes.node("n", tainted("trainyard.dev/removing"));
        assertThat(nodes.judge("n")).startsWith("grace-period Uncordon: the node has taint trainyard.dev/removing");
    }

    @Test
    void waitsForAGracePeriodHoweverLong() {
        nodes.node("n", removing("under-utilized, 2026-01-01T10:00:00Z")).running("slow", "n", "nvidia.com/gpu", "1");
        nodes.lastPod(pod ->
                pod.editMetadata().withDeletionTimestamp("2026-01-01T14:00:00Z").endMetadata());
        assertThat(nodes.judge("n"))
                .isEqualTo("draining Keep: pod team/slow is terminating and must end by 2026-01-01T14:00:00Z");
    }

    @Test
    void saysOfAPodThatItHadToEndAndHasNot() {
        nodes.node("n", removing("under-utilized, 2026-01-01T10:00:00Z")).running("stuck", "n", "nvidia.com/gpu", "1");
        nodes.lastPod(pod ->
                pod.editMetadata().withDeletionTimestamp("2026-01-01T11:59:00Z").endMetadata());
        assertThat(nodes.judge("n"))
                .startsWith("draining Keep: pod team/stuck should have ended by 2026-01-01T11:59:00Z and has not");
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:50:01Z, draining Keep", "2026-01-01T11:50:00Z, idle-unschedulable Terminate"})
    void ordersAMachineToGoTenMinutesAfterItsLastPodHadToEnd(String end, String verdict) {
        nodes.node("n", removing("under-utilized, 2026-01-01T10:00:00Z", "idle-since", "2026-01-01T11:50:00Z"))
                .running("stuck", "n", "nvidia.com/gpu", "1");
        endsBy(end);
        assertThat(nodes.judge("n")).startsWith(verdict);
    }

    @ParameterizedTest
    @ValueSource(strings = {"under-utilized", "idle", "launch-timeout"})
    void callsAMachineDeadThatHungWhileItWasEmptied(String reason) {
        nodes.node("n", removingAndSilentSince(LONG_SILENT, reason)).running("stuck", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T11:59:00Z");
        assertThat(nodes.judge("n"))
                .isEqualTo(
                        "dead Cordon: pod team/stuck should have ended by 2026-01-01T11:59:00Z and has not, and its node is not Ready");
    }

    /** The machine may be disconnected for a moment, or its kubelet may be restarting. */
    @Test
    void doesNotCallAMachineDeadThatHasBeenSilentForLessThanItsProvisionTimeout() {
        nodes.node("n", removingAndSilentSince("2026-01-01T11:45:01Z", "under-utilized"))
                .running("stuck", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T11:50:00Z");
        assertThat(nodes.judge("n"))
                .isEqualTo(
                        "draining Keep: pod team/stuck should have ended by 2026-01-01T11:50:00Z and has not, and its node is not Ready");
    }

    @Test
    void waitsOnAMachineThatHangsUntilThePodsTimeToEndIsOver() {
        nodes.node("n", removingAndSilentSince(LONG_SILENT, "under-utilized"))
                .running("stuck", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T11:59:01Z");
        assertThat(nodes.judge("n"))
                .isEqualTo("draining Keep: pod team/stuck is terminating and must end by 2026-01-01T11:59:01Z");
    }

    /** The other pod may still be saving its state. */
    @Test
    void waitsOnAMachineThatHangsForEveryPodThatHasTimeLeft() {
        nodes.node("n", removingAndSilentSince(LONG_SILENT, "under-utilized"))
                .running("stuck", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T11:59:00Z");
        testCluster.running("saving", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T12:30:00Z");
        assertThat(nodes.judge("n"))
                .startsWith("draining Keep: pod team/stuck should have ended by 2026-01-01T11:59:00Z");
    }

    @Test
    void saysWhichPodADeadMachineIsKeptFor() {
        nodes.node("n", removingAndSilentSince(LONG_SILENT, "dead")).running("stuck", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T11:59:00Z");
        testCluster.running("unmarked", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T12:40:00Z");
        testCluster.running("protected", "n", "nvidia.com/gpu", "1");
        endsBy("2026-01-01T12:30:00Z");
        nodes.lastPod(pod -> pod.editMetadata()
                .addToAnnotations("trainyard.dev/do-not-disrupt", "true")
                .endMetadata());
        assertThat(nodes.judge("n"))
                .isEqualTo("draining Keep: pod team/protected is terminating and must end by 2026-01-01T12:30:00Z");
    }

    private void endsBy(String time) {
        nodes.lastPod(pod -> pod.editMetadata().withDeletionTimestamp(time).endMetadata());
    }

    private static UnaryOperator<NodeBuilder> removingAndSilentSince(String time, String reason) {
        return node -> removing(reason + ", 2026-01-01T11:44:00Z")
                .apply(deadSince(time).apply(node));
    }

    @ParameterizedTest
    @CsvSource({"2026-01-01T11:59:01Z, Keep", "2026-01-01T11:59:00Z, Terminate"})
    void keepsAnEmptiedMachineUntilWhatWasOnItHasFoundItsPlace(String emptySince, String step) {
        nodes.node("n", removing("under-utilized, 2026-01-01T11:50:00Z", "idle-since", emptySince));
        assertThat(nodes.judge("n")).startsWith("idle-unschedulable " + step);
    }

    /** Otherwise the machine would never be removed: its idle time was not noted while it was not usable. */
    @Test
    void notesSinceWhenAMachineIsEmptyThatHungAsTheLastPodLeft() {
        nodes.node("n", removingAndSilentSince("2026-01-01T11:59:50Z", "under-utilized"));
        assertThat(nodes.judge("n")).startsWith("idle-unschedulable Keep: the node was drained");
        assertThat(nodes.notes("n")).containsEntry("trainyard.dev/idle-since", Optional.of("2026-01-01T12:00:00Z"));
    }
}
