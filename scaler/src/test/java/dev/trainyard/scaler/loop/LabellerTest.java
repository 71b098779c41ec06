package dev.trainyard.scaler.loop;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Nodes of this world join without Trainyard's labels, as on every cloud. */
class LabellerTest {

    private static final String NODE = "light-spot-0001";

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1))
            .pool("light-ondemand", onDemand(1))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void labelsANodeInTheRoundInWhichItJoins() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        joins();
        assertThat(labels()).doesNotContainKey("trainyard.dev/pool");

        world.round();

        assertThat(labels())
                .containsEntry("trainyard.dev/pool", "light-spot")
                .containsEntry("trainyard.dev/capacity-type", "spot")
                .containsEntry("type", "spot");
        world.round();
        assertThat(world.cluster.changes)
                .filteredOn(change -> change.startsWith("label"))
                .containsExactly(
                        "label " + NODE + " {trainyard.dev/capacity-type=spot, trainyard.dev/pool=light-spot}");
    }

    @Test
    void leavesALabelThatSomebodyElseSetAndReportsItOnce() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        joins();
        relabel("trainyard.dev/pool", "mine");

        world.seconds(3);

        assertThat(labels())
                .containsEntry("trainyard.dev/pool", "mine")
                .containsEntry("trainyard.dev/capacity-type", "spot");
        assertThat(world.eventsOf(NODE))
                .filteredOn(event -> event.contains("LabelMismatch"))
                .containsExactly(
                        NODE
                                + " LabelMismatch: label trainyard.dev/pool is 'mine', but the pool of the node's machine requires 'light-spot': remove or correct the label, which the scaler does not change");
    }

    @Test
    void labelsNothingWhenItOnlyLooks() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        joins();
        world.onlyLook();

        world.seconds(3);

        assertThat(labels()).doesNotContainKeys("trainyard.dev/pool", "trainyard.dev/capacity-type");
    }

    @Test
    void labelsNothingWhenAnotherScalerMayLead() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        joins();
        world.leads = false;

        world.seconds(3);

        assertThat(labels()).doesNotContainKeys("trainyard.dev/pool", "trainyard.dev/capacity-type");
    }

    /** Each write takes two seconds here, as it may on a busy API server. */
    @Test
    void leavesTheRestOfManyNodesToTheNextRoundWhichStartsAtOnce() {
        world.waiting(20, "train", "light-gpu", "nvidia.com/gpu", "1");
        joins();
        world.cluster.interruptWith(() -> world.clock.move(Duration.ofSeconds(1)));

        var first = world.round();

        assertThat(labelled()).isEqualTo(3);
        assertThat(first.next()).hasValueSatisfying(next -> assertThat(next).isBefore(world.clock.instant()));
        for (int round = 0; round < 20 && labelled() < 20; round++) {
            world.round();
        }
        assertThat(labelled()).isEqualTo(20);
    }

    @Test
    void writesThatFailSlowlyKeepNoOtherNodeWaiting() {
        world.waiting(20, "train", "light-gpu", "nvidia.com/gpu", "1");
        joins();
        var writes = new AtomicInteger();
        world.cluster.interruptWith(() -> {
            if (writes.incrementAndGet() <= 6) {
                world.clock.move(Duration.ofSeconds(2));
                throw new KubernetesClientException("refused");
            }
        });

        var result = world.round();

        assertThat(labelled()).isGreaterThanOrEqualTo(20 - 6);
        assertThat(result.next().filter(world.clock.instant()::isAfter))
                .as("a next round at once")
                .isEmpty();
    }

    /** The pod selects a label that no cloud sets on a new node. */
    @Test
    void launchesOneMachineForAPodThatSelectsItsPoolByLabel() {
        world.cluster.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .withNodeSelector(Map.of("trainyard.dev/pool", "light-ondemand"))
                .endSpec()
                .build());

        world.seconds(60);

        assertThat(world.placed()).isEqualTo(1);
        assertThat(world.cloud.everMade()).isEqualTo(1);
    }

    /** Requests a machine, lets it boot, and lets its node join. */
    private void joins() {
        world.round();
        while (world.cluster.nodes.isEmpty()) {
            world.clock.move(Duration.ofSeconds(1));
            world.machinesJoin();
        }
    }

    private long labelled() {
        return world.cluster.nodes.values().stream()
                .filter(node -> node.getMetadata().getLabels().containsKey("trainyard.dev/pool"))
                .count();
    }

    private Map<String, String> labels() {
        return world.cluster.nodes.get(NODE).getMetadata().getLabels();
    }

    private void relabel(String key, String value) {
        world.cluster.nodes.computeIfPresent(
                NODE,
                (name, node) -> new NodeBuilder(node)
                        .editMetadata()
                        .addToLabels(key, value)
                        .endMetadata()
                        .build());
    }
}
