package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.node.NodeReader;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CordonTest {

    private static final Removal IDLE = new Removal(Removal.Reason.IDLE, Instant.parse("2026-01-01T12:00:00Z"));
    private static final Node THEIRS = new NodeBuilder()
            .withNewMetadata()
            .withName("n")
            .endMetadata()
            .withNewSpec()
            .withUnschedulable(true)
            .addNewTaint("NoSchedule", "theirs", "2026-01-01T11:00:00Z", "x")
            .endSpec()
            .build();

    @Test
    void addsATaintAndTakesItOffAndLeavesWhatOthersSet() {
        var set = Cordon.set(THEIRS, IDLE);
        assertThat(set.getSpec().getTaints())
                .extracting(taint -> taint.getKey() + "=" + taint.getValue() + ":" + taint.getEffect())
                .containsExactly("theirs=x:NoSchedule", "trainyard.dev/removing=idle:NoSchedule");
        assertThat(cordon(set)).isEqualTo(new Cordon(true, Optional.of("the node is cordoned")));

        assertThat(Cordon.lift(set).getSpec()).isEqualTo(THEIRS.getSpec());
        assertThat(Cordon.lift(set).getMetadata().getAnnotations()).isEmpty();
    }

    @Test
    void readsTheMarkOfARemovalOnlyInItsOwnForm() {
        assertThat(Removal.parse(IDLE.toString())).contains(IDLE);
        assertThat(Removal.parse("idle, 2026-01-01T12:00:00Z")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "seen-since",
                "usable-since",
                "idle-since",
                "missing-since",
                "cordoned-since",
                "terminating-since"
            })
    void readsNoTimeThatKubernetesCannotWrite(String annotation) {
        for (var time : List.of(Instant.MAX, Instant.MIN)) {
            assertThat(ScalerAnnotations.of(Map.of("trainyard.dev/" + annotation, time.toString())))
                    .isEqualTo(ScalerAnnotations.NONE);
        }
        assertThat(Removal.parse("idle, %s, taint".formatted(Instant.MAX))).isEmpty();
        assertThat(Refusals.parse("1, " + Instant.MAX)).isEmpty();
    }

    @Test
    void setsItsTaintOnce() {
        var twice = Cordon.set(Cordon.set(THEIRS, IDLE), IDLE);
        assertThat(twice.getSpec().getTaints()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "ToBeDeletedByClusterAutoscaler, NoSchedule, Cluster Autoscaler",
        "DeletionCandidateOfClusterAutoscaler, PreferNoSchedule, ",
        "karpenter.sh/disrupted, NoSchedule, Karpenter",
        "karpenter.sh/disruption, NoSchedule, Karpenter",
        "aws-node-termination-handler/rebalance-recommendation, NoSchedule, AWS Node Termination Handler",
        "aws-node-termination-handler/spot-itn, NoExecute, AWS Node Termination Handler",
        "aws-node-termination-handler/spot-itn, PreferNoSchedule, ",
        "remediator.kubernetes.azure.com/unschedulable, NoSchedule, AKS",
        "aks-node-termination-handler/preempt, NoSchedule, aks-node-termination-handler",
        "cloud.google.com/impending-node-termination, NoSchedule, GKE",
        "nvidia.com/gpu, NoSchedule, "
    })
    void knowsTheTaintsByWhichOthersAnnounceARemoval(String key, String effect, String who) {
        var node = new NodeBuilder()
                .withNewMetadata()
                .withName("n")
                .endMetadata()
                .withNewSpec()
                .addNewTaint(effect, key, null, null)
                .endSpec()
                .build();
        assertThat(cordon(node).others())
                .isEqualTo(
                        Optional.ofNullable(who).map(name -> "the node has taint %s, set by %s".formatted(key, name)));
    }

    private static Cordon cordon(Node node) {
        return Cordon.of(NodeReader.shapeOf(node));
    }
}
