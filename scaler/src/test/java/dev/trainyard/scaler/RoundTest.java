package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.provider.FailureKind;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RoundTest {

    private final World world = new World()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void runsFortyPodsOnFortyMachinesAndIsLeftWithNone() {
        burst(40);
        world.seconds(35);
        assertThat(world.placed()).isEqualTo(40);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->40");

        world.finishAllJobs();
        world.seconds(60);

        assertThat(world.cloud.everMade()).isEqualTo(40);
        assertThat(world.cloud.machines("light-spot")).isEmpty();
        assertThat(world.nodesOf("light-spot")).isZero();
        assertThat(world.cluster.pools.get("light-spot").getStatus().target()).isZero();
    }

    @Test
    void removesAMachineInOrder() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(20);

        assertThat(world.cluster.changes.stream().filter(change -> !change.startsWith("status")))
                .containsExactly(
                        "annotate light-spot-0001 trainyard.dev/usable-since",
                        "annotate light-spot-0001 trainyard.dev/idle-since",
                        "cordon light-spot-0001",
                        "annotate light-spot-0001 trainyard.dev/terminating-since",
                        "delete light-spot-0001");
        assertThat(world.cloud.calls).endsWith("terminate light-spot [light-spot-0001]");
    }

    @Test
    void fallsBackInTheRoundThatReadsTheFailureAndReturnsToSpotLater() {
        world.cloud.capacity.put("light-spot", 0);
        burst(1);
        world.second();
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");

        world.second();
        assertThat(world.cloud.calls)
                .containsExactly("grow light-spot 0->1", "withdraw light-spot 1->0", "grow light-ondemand 0->1");
        assertThat(world.events)
                .anyMatch(event -> event.startsWith("train-1 Fallback: pool light-ondemand grows from 0 to 1"));
        assertThat(world.cluster.pools.get("light-spot").getStatus().message())
                .isEqualTo("no capacity (spot), again at 12:01:02");
        assertThat(world.cluster.pools.get("light-ondemand").getStatus().message())
                .isEqualTo("light-spot backs off: 0 -> 1 for tier light-gpu");

        world.cloud.capacity.clear();
        world.seconds(61);
        world.waiting(1, "later", "light-gpu", "nvidia.com/gpu", "1");
        world.second();
        assertThat(world.cloud.calls).endsWith("grow light-spot 0->1");
        assertThat(world.cloud.everMade()).isEqualTo(2);
    }

    @Test
    void remembersABackOffOverARestart() {
        world.cloud.capacity.put("light-spot", 0);
        burst(1);
        world.seconds(2);
        world.restart();
        world.waiting(1, "later", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(2);

        assertThat(world.cloud.calls)
                .filteredOn(call -> call.startsWith("grow light-spot"))
                .hasSize(1);
        assertThat(world.cluster.pools.get("light-spot").getStatus().backOff().failures())
                .isEqualTo(1);
    }

    @Test
    void backsOffLongerEachTimeMachinesJoinAndNeverBecomeUsable() {
        var broken = new World().pool("broken", spot(1).provisionTimeout("40s")).tier("t", "broken");
        broken.neverUsable = true;
        broken.waiting(1, "train", "t", "nvidia.com/gpu", "1");
        broken.seconds(170);

        assertThat(broken.cluster.pools.get("broken").getStatus().backOff().failures())
                .isEqualTo(2);
        assertThat(broken.cloud.everMade()).isEqualTo(2);
        assertThat(broken.cloud.machines("broken")).isEmpty();
    }

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
    void asksTheNextPoolAtOnceWhenACloudRefuses() {
        world.cloud.refusing.put("light-spot", FailureKind.QUOTA);
        burst(1);
        world.second();

        assertThat(world.cloud.calls).containsExactly("grow light-ondemand 0->1");
    }

    @Test
    void doesNotAskTheNextPoolWhenItIsOpenWhetherARequestWasAccepted() {
        world.cloud.refusing.put("light-spot", FailureKind.TRANSIENT);
        burst(1);
        world.seconds(2);
        assertThat(world.cloud.calls).isEmpty();

        world.cloud.refusing.clear();
        world.seconds(10);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
    }

    @Test
    void changesNothingForAPoolThatCannotBeRead() {
        burst(2);
        world.seconds(35);
        world.finishAllJobs();
        world.cloud.unreadable.put("light-spot", FailureKind.TRANSIENT);
        world.seconds(60);

        assertThat(world.nodesOf("light-spot")).isEqualTo(2);
        assertThat(world.cloud.machines("light-spot")).hasSize(2);
        var status = world.cluster.pools.get("light-spot").getStatus();
        assertThat(status.target()).isEqualTo(2);
        assertThat(status.message()).isEqualTo("cannot be read: transient: cannot tell");
    }

    @Test
    void takesBackANodeThatIsBeingRemovedForAPodThatNeedsIt() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(12);
        assertThat(world.cluster.nodes.get("light-spot-0001").getSpec().getUnschedulable())
                .isTrue();

        world.waiting(1, "next", "light-gpu", "nvidia.com/gpu", "1");
        world.round();
        assertThat(world.cluster.changes).contains("uncordon light-spot-0001");
        world.seconds(3);

        assertThat(world.cluster.pods.get("next-1").getSpec().getNodeName()).isEqualTo("light-spot-0001");
        assertThat(world.cloud.everMade()).isEqualTo(1);
    }

    @Test
    void neverTouchesANodeThatAnOperatorCordoned() {
        burst(1);
        world.seconds(32);
        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editSpec()
                        .withUnschedulable(true)
                        .endSpec()
                        .build());
        world.finishAllJobs();
        world.seconds(100);

        assertThat(world.nodesOf("light-spot")).isEqualTo(1);
        assertThat(world.cluster.changes)
                .noneMatch(change -> change.startsWith("cordon") || change.startsWith("uncordon"));
    }

    @Test
    void deletesTheNodeOfAMachineThatTheCloudTookAwayAndServesItsPodAgain() {
        burst(1);
        world.seconds(70);
        world.cloud.machines("light-spot").clear();
        world.seconds(100);
        assertThat(world.cluster.changes).doesNotContain("delete light-spot-0001");

        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editStatus()
                        .withConditions()
                        .endStatus()
                        .build());
        world.seconds(62);
        assertThat(world.cluster.changes).contains("delete light-spot-0001");
    }

    @Test
    void startsAnewWithANodeThatAnOperatorUncordonedWhileItWasBeingRemoved() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(12);
        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editSpec()
                        .withUnschedulable(null)
                        .endSpec()
                        .build());
        world.seconds(10);
        assertThat(world.cluster.nodes.get("light-spot-0001").getMetadata().getAnnotations())
                .doesNotContainKey("trainyard.dev/removing")
                .containsKey("trainyard.dev/idle-since");

        world.seconds(10);
        assertThat(world.nodesOf("light-spot")).isZero();
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
                .containsExactly("light-spot-0001 NotRemoved: cordoned-by-operator: "
                        + "it is cordoned, and not by us: uncordon it to have it managed");
    }

    @Test
    void sparesAMachineThatBearsTheMarkOfNoReturnWhileATrainingRunsOnIt() {
        burst(1);
        world.seconds(32);
        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editMetadata()
                        .addToAnnotations("trainyard.dev/terminating-since", "2026-01-01T12:00:00Z")
                        .endMetadata()
                        .editSpec()
                        .withUnschedulable(true)
                        .endSpec()
                        .build());
        world.seconds(10);

        assertThat(world.cloud.machines("light-spot")).hasSize(1);
        var node = world.cluster.nodes.get("light-spot-0001");
        assertThat(node.getSpec().getUnschedulable()).isNull();
        assertThat(node.getMetadata().getAnnotations()).doesNotContainKey("trainyard.dev/terminating-since");
        assertThat(world.events).contains("light-spot-0001 Kept: pod team/train-1 is on it after all");
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
    void buysNothingTwiceWhereverItIsKilled() {
        int steps = stepsOfACompleteRun();
        assertThat(steps).isGreaterThan(30);
        for (int deadly = 1; deadly <= steps; deadly++) {
            var mortal = new World()
                    .pool("light-spot", spot(1).idleAfter("10s"))
                    .pool("light-ondemand", onDemand(1).idleAfter("10s"))
                    .tier("light-gpu", "light-spot", "light-ondemand");
            mortal.cloud.capacity.put("light-spot", 2);
            int killedAt = deadly;
            var step = new AtomicInteger();
            Runnable interruption = () -> {
                if (step.incrementAndGet() == killedAt) {
                    throw new World.Killed();
                }
            };
            mortal.cloud.interruptWith(interruption);
            mortal.cluster.interruptWith(interruption);
            mortal.waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1");
            live(mortal);

            assertThat(mortal.cloud.everMade())
                    .as("machines ever made, killed at step %d", deadly)
                    .isEqualTo(3);
            assertThat(mortal.cluster.nodes)
                    .as("nodes left, killed at step %d", deadly)
                    .isEmpty();
            assertThat(mortal.placed()).isEqualTo(3);
        }
    }

    private static int stepsOfACompleteRun() {
        var world = new World()
                .pool("light-spot", spot(1).idleAfter("10s"))
                .pool("light-ondemand", onDemand(1).idleAfter("10s"))
                .tier("light-gpu", "light-spot", "light-ondemand");
        world.cloud.capacity.put("light-spot", 2);
        var step = new AtomicInteger();
        world.cloud.interruptWith(step::incrementAndGet);
        world.cluster.interruptWith(step::incrementAndGet);
        world.waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1");
        live(world);
        return step.get();
    }

    /** From the burst to the last machine's end, restarted when killed. */
    private static void live(World world) {
        for (int second = 0; second < 110; second++) {
            if (second == 45) {
                world.finishAllJobs();
            }
            try {
                world.second();
            } catch (World.Killed e) {
                world.restart();
            }
        }
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

        assertThat(world.cluster.nodes.get("light-spot-0001").getSpec().getUnschedulable())
                .isTrue();
        assertThat(world.cluster.pools.get("light-spot").getStatus().ready()).isZero();
    }

    @Test
    void tellsThePodWhatItsMachineWasBoughtWithoutReckoningWith() {
        world.cluster.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editSpec()
                .editFirstContainer()
                .addNewPort()
                .withHostPort(80)
                .endPort()
                .endContainer()
                .endSpec()
                .build());
        world.second();

        assertThat(world.events)
                .anyMatch(event ->
                        event.startsWith("train ScaleUp: ") && event.endsWith("(not reckoned with: host ports)"));
    }

    @Test
    void remembersAPoolsFailuresWhileItsSpecIsInvalid() {
        world.cloud.capacity.put("light-spot", 0);
        burst(1);
        world.seconds(2);
        var pool = world.cluster.pools.get("light-spot");
        var before = LedgerStatus.read(pool.getStatus());
        world.cluster.pool("light-spot", spot(1).provisionTimeout("soon").spec());
        world.cluster.pools.get("light-spot").setStatus(pool.getStatus());
        world.second();

        var status = world.cluster.pools.get("light-spot").getStatus();
        assertThat(status.message()).contains("soon");
        assertThat(LedgerStatus.read(status)).isEqualTo(before);
    }

    private void burst(int pods) {
        world.waiting(pods, "train", "light-gpu", "nvidia.com/gpu", "1");
    }
}
