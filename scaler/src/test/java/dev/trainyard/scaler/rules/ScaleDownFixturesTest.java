package dev.trainyard.scaler.rules;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.lifecycle.Nodes.LONG_AGO;
import static dev.trainyard.scaler.lifecycle.Nodes.deadSince;
import static dev.trainyard.scaler.lifecycle.Nodes.idleSince;
import static dev.trainyard.scaler.lifecycle.Nodes.littleUsedSince;
import static dev.trainyard.scaler.lifecycle.Nodes.owned;
import static dev.trainyard.scaler.lifecycle.Nodes.removing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.lifecycle.Nodes;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Section 9: the tests of the autoscalers of 2017 about removing machines, with machines of two cores and with our intended results. */
class ScaleDownFixturesTest {

    private final SnapshotFixture testCluster =
            new SnapshotFixture().pool("p", onDemand(0).holding("cpu", "2"));
    private final Nodes nodes = new Nodes(testCluster);

    @ParameterizedTest
    @CsvSource({"2026-01-01T10:00:00Z, dead Cordon", "2026-01-01T11:50:00Z, dead Keep"})
    void aNodeThatHasBeenSilentForLongIsDeadAndOneThatWasSilentForAMomentStays(String since, String expected) {
        nodes.node("n", deadSince(since));
        assertThat(nodes.judge("n")).startsWith(expected);
    }

    @Test
    void twoDeadOfTwoNodesAreNotLeftForEver() {
        // The old brake removed none of two nodes; ours always removes some.
        nodes.node("a", deadSince(LONG_AGO));
        nodes.node("b", deadSince(LONG_AGO));
        assertThat(nodes.verdicts(Set.of())).allMatch(verdict -> verdict.contains("dead Cordon"));
    }

    @Test
    void anIdleNodeWithADaemonSetsPodGoesAndStaysWhileItIsInGrace() {
        nodes.node("n", idleSince(LONG_AGO));
        testCluster.pods.add(owned("daemon", "DaemonSet"));
        assertThat(nodes.judge("n")).startsWith("idle-schedulable Cordon");
        testCluster.pool("p", onDemand(0).holding("cpu", "2").idleAfter("2h"));
        nodes.node("other", node -> node);
        assertThat(nodes.judge("n")).startsWith("grace-period Keep");
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aPodOfOneAndAHalfOfTwoCoresKeepsItBusyWhetherItHasAControllerOrNot(boolean bare) {
        nodes.node("n", littleUsedSince(LONG_AGO)).running("train", "n", "cpu", "1500m");
        testCluster.pods.add(owned("daemon", "DaemonSet"));
        if (bare) {
            testCluster.pods.get(0).getMetadata().setOwnerReferences(List.of());
        }
        assertThat(nodes.judge("n")).startsWith("busy Keep");
    }

    @Test
    void aBarePodWithoutRequestsMakesANodeUndrainable() {
        nodes.node("n", littleUsedSince(LONG_AGO)).running("bare", "n");
        nodes.lastPod(pod -> pod.editMetadata().withOwnerReferences().endMetadata());
        room();
        assertThat(nodes.judge("n"))
                .startsWith("under-utilized-undrainable Keep")
                .contains("pod team/bare");
    }

    @ParameterizedTest
    @CsvSource({"true", "True", "1"})
    void aPodThatIsMarkedDoNotDrainMakesANodeUndrainable(String value) {
        nodes.node("n", littleUsedSince(LONG_AGO)).running("held", "n");
        nodes.lastPod(pod ->
                pod.editMetadata().addToLabels("openai/do-not-drain", value).endMetadata());
        room();
        assertThat(nodes.judge("n"))
                .startsWith("under-utilized-undrainable Keep")
                .contains("openai/do-not-drain");
    }

    @Test
    void aPodOfAControllerWithoutRequestsIsDrained() {
        nodes.node("n", littleUsedSince(LONG_AGO)).running("small", "n");
        room();
        assertThat(nodes.judge("n")).startsWith("under-utilized-drainable Cordon");
    }

    @Test
    void whatIsDrainedAreThePodsOfTheNodeButThoseOfDaemonSets() {
        nodes.node("n", removing("under-utilized, 2026-01-01T11:59:59Z")).running("small", "n");
        testCluster.pods.add(owned("daemon", "DaemonSet"));
        room();
        assertThat(nodes.judge("n")).isEqualTo("draining Evict: 1 pod has to leave");
    }

    @Test
    void aPodIsLeftAloneForAnHourAfterItWasScheduled() {
        nodes.node("n", littleUsedSince(LONG_AGO)).running("young", "n");
        nodes.lastPod(
                pod -> pod.editStatus().withStartTime("2026-01-01T11:00:01Z").endStatus());
        room();
        assertThat(nodes.judge("n")).startsWith("under-utilized-undrainable Keep");
        testCluster.later(Duration.ofSeconds(1));
        assertThat(nodes.judge("n")).startsWith("under-utilized-drainable Cordon");
    }

    private void room() {
        nodes.node("room", node -> node).running("resident", "room", "cpu", "1");
    }
}
