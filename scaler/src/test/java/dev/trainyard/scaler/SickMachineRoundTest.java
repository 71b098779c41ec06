package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.ledger.LedgerStatus;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rounds of a scaler, from the report that a machine is broken until its pod runs on another machine. */
class SickMachineRoundTest {

    private final ScalerFixture world = new ScalerFixture()
            .pool("spot", Objects.spot(1))
            .pool("ondemand", Objects.onDemand(1))
            .tier("gpu", "spot", "ondemand");

    @BeforeEach
    void start() {
        world.waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        world.seconds(40);
        assertThat(world.cluster.pods.get("train-1").getSpec().getNodeName()).isEqualTo("spot-0001");
        // A machine that breaks soon after its launch lets the pool back off.
        world.clock.move(Duration.ofHours(2));
        world.seconds(10);
        world.cluster.changes.clear();
    }

    @Test
    void requestsReplacementTaintsNodeAndEvictsPodInOneRound() {
        report(true);
        world.seconds(10);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("cordon"));
        world.clock.move(Duration.ofMinutes(2));
        world.round();

        assertThat(world.cloud.target("spot")).isEqualTo(2);
        assertThat(world.cluster.changes)
                .contains(
                        "cordon spot-0001",
                        "evict team/train-1",
                        "annotate pod team/train-1 trainyard.dev/checkpoint-since");
        assertThat(world.eventsOf("spot-0001")).anyMatch(event -> event.startsWith("spot-0001 MachineSick: "));
    }

    @Test
    void evictsNoPodWithoutTheTaint() {
        report(true);
        world.clock.move(Duration.ofMinutes(2));
        world.cluster.refusesCordons = true;
        world.round();
        assertThat(world.cluster.changes).doesNotContain("evict team/train-1");

        world.cluster.refusesCordons = false;
        world.round();
        assertThat(world.cluster.changes).containsSubsequence("cordon spot-0001", "evict team/train-1");
    }

    @Test
    void runsPodOnReplacementAndMakesPoolSmallerAgain() {
        report(true);
        world.seconds(240);

        assertThat(world.cluster.pods.get("train-1-again").getSpec().getNodeName())
                .isEqualTo("spot-0002");
        assertThat(world.cluster.nodes).containsOnlyKeys("spot-0002");
        assertThat(world.cloud.target("spot")).isEqualTo(1);
        assertThat(world.cloud.everMade()).isEqualTo(2);
    }

    @Test
    void returnsNodeToUseWhenTheReportIsWithdrawn() {
        world.cluster.pods.put("blocked", Objects.running("blocked", "spot-0001", "cpu", "100m"));
        world.cluster.changePod(
                "blocked",
                changed -> changed.editMetadata()
                        .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                        .endMetadata());
        report(true);
        world.seconds(130);
        assertThat(annotations()).containsKey(Names.REMOVING);
        report(false);
        world.seconds(100);
        assertThat(annotations()).containsKey(Names.REMOVING);
        world.seconds(30);

        assertThat(annotations()).doesNotContainKeys(Names.REMOVING, Names.NOTICED_SINCE);
        assertThat(world.cluster.pods.get("blocked").getMetadata().getAnnotations())
                .doesNotContainKey(Names.CHECKPOINT_SINCE);
    }

    @Test
    void replacesMachineThatStaysWithoutItsGpus() {
        change(node -> node.editStatus()
                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                .endStatus());
        world.seconds(10);
        world.clock.move(Duration.ofMinutes(14));
        world.restart();
        world.seconds(10);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("cordon"));
        world.clock.move(Duration.ofMinutes(1));
        world.seconds(120);

        assertThat(world.cluster.nodes).containsOnlyKeys("spot-0002");
    }

    @Test
    void recordsBrokenMachineInTheStatusOfItsPool() {
        report(true);
        world.seconds(140);

        assertThat(LedgerStatus.read(world.cluster.pools.get("spot").getStatus())
                        .nodes()
                        .broken())
                .containsOnlyKeys("spot-0001");
    }

    private Map<String, String> annotations() {
        return world.cluster.nodes.get("spot-0001").getMetadata().getAnnotations();
    }

    private void report(boolean broken) {
        change(node -> node.editStatus()
                .removeMatchingFromConditions(condition -> condition.getType().equals("AcceleratedHardwareReady"))
                .addNewCondition()
                .withType("AcceleratedHardwareReady")
                .withStatus(broken ? "False" : "True")
                .withLastTransitionTime(world.clock.instant().toString())
                .endCondition()
                .endStatus());
    }

    private void change(UnaryOperator<NodeBuilder> change) {
        world.cluster.nodes.computeIfPresent(
                "spot-0001", (name, node) -> change.apply(new NodeBuilder(node)).build());
    }
}
