package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.report.UnplacedPod;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The texts of Events and statuses. */
class ToldTest {

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void saysOnAPodWhatTheExtenderRefusedItNodesFor() {
        burst(1);
        world.waiting(1, "unplaced", "light-gpu", "nvidia.com/gpu", "8");
        for (var name : List.of("train-1", "unplaced-1")) {
            var uid = world.cluster.pods.get(name).getMetadata().getUid();
            world.reports.remember(
                    new UnplacedPod(uid, "default", name, world.clock.millis(), Map.of("node(s) being removed", 2)));
        }
        world.second();

        var refused = "(the extender refused: 2 node(s) being removed)";
        assertThat(world.eventsOf("train-1"))
                .anyMatch(event -> event.contains(" ScaleUp: ") && event.endsWith(refused));
        assertThat(world.eventsOf("unplaced-1"))
                .anyMatch(event -> event.contains(" NotPlaceable: ") && event.contains(refused));
    }

    @Test
    void saysOnceWhyANodeStays() {
        world.cluster.add(new PodBuilder(Objects.waiting("bare", "light-gpu", "nvidia.com/gpu", "1"))
                .editMetadata()
                .withOwnerReferences(List.of())
                .endMetadata()
                .build());
        world.seconds(35);
        assertThat(world.events).noneMatch(event -> event.contains("NotRemoved"));

        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editSpec()
                        .withUnschedulable(true)
                        .endSpec()
                        .build());
        world.seconds(5);
        assertThat(world.events).noneMatch(event -> event.contains("NotRemoved"));
        world.finishAllJobs();
        world.seconds(50);
        assertThat(world.events)
                .filteredOn(event -> event.contains("NotRemoved"))
                .containsExactly(
                        "light-spot-0001 NotRemoved: cordoned-by-operator: "
                                + "the node is cordoned, and not by Trainyard. The node is idle: its machine is removed after "
                                + "2026-01-02T12:00:41Z, unless the node is marked trainyard.dev/do-not-disrupt: \"true\"; see docs/troubleshooting.md#machine-stays");
    }

    @Test
    void saysOnceThatANodeMatchesNoMachineAndKeepsTheMachine() {
        burst(1);
        world.seconds(32);
        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editMetadata()
                        .withName("other")
                        .endMetadata()
                        .editSpec()
                        .withProviderID("aws:///x")
                        .endSpec()
                        .build());
        world.cluster.nodes.put("other", world.cluster.nodes.remove("light-spot-0001"));
        world.cluster.place("train-1", "other");
        world.machinesNeverJoin = true;
        world.seconds(1000);

        assertThat(world.cloud.machines("light-spot")).hasSize(1);
        assertThat(world.events)
                .filteredOn(event -> event.startsWith("other IdentityMismatch"))
                .hasSize(1);
    }

    @Test
    void saysWhatGrowsOnlyUntilTheMachinesAreThere() {
        burst(2);
        world.seconds(5);
        assertThat(world.cluster.pools.get("light-spot").getStatus().message()).isEqualTo("0 -> 2 for tier light-gpu");
        world.restart();
        world.second();
        assertThat(world.cluster.pools.get("light-spot").getStatus().message()).isEqualTo("0 -> 2 for tier light-gpu");
        world.seconds(30);

        var status = world.cluster.pools.get("light-spot").getStatus();
        assertThat(status.message()).isEmpty();
        assertThat(status.ready()).isEqualTo(2);
    }

    @Test
    void doesNotCountNodesThatAreBeingRemovedAsReady() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(12);

        assertThat(world.cluster.nodes.get("light-spot-0001").getSpec().getTaints())
                .isNotEmpty();
        assertThat(world.cluster.pools.get("light-spot").getStatus().ready()).isZero();
    }

    @Test
    void tellsThePodWhatItsMachineWasBoughtWithoutReckoningWith() {
        world.cluster.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim("data", false)
                .endVolume()
                .endSpec()
                .build());
        world.second();

        assertThat(world.events)
                .anyMatch(event -> event.startsWith("train ScaleUp: ")
                        && event.endsWith("(not considered: persistent volume claims)"));
    }

    private void burst(int pods) {
        world.waiting(pods, "train", "light-gpu", "nvidia.com/gpu", "1");
    }
}
