package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

/** The removal of nodes that are no longer needed, and the protection of those that only seem so. */
class RemovalTest {

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void removesAMachineInOrder() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(20);

        assertThat(world.cluster.changes.stream().filter(change -> !change.startsWith("status")))
                .containsExactly(
                        "label light-spot-0001 {trainyard.dev/capacity-type=spot, trainyard.dev/pool=light-spot}",
                        "annotate light-spot-0001 trainyard.dev/most-gpus,trainyard.dev/usable-since",
                        "annotate light-spot-0001 trainyard.dev/idle-since",
                        "cordon light-spot-0001",
                        "annotate light-spot-0001 trainyard.dev/terminating-since",
                        "delete light-spot-0001");
        assertThat(world.cloud.calls).endsWith("terminate light-spot [light-spot-0001]");
    }

    @Test
    void takesBackANodeThatIsBeingRemovedForAPodThatNeedsIt() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(12);
        assertThat(world.cluster.nodes.get("light-spot-0001").getSpec().getTaints())
                .singleElement()
                .hasToString(
                        "Taint(effect=NoSchedule, key=trainyard.dev/removing, timeAdded=null, value=idle, additionalProperties={})");

        world.waiting(1, "next", "light-gpu", "nvidia.com/gpu", "1");
        world.round();
        assertThat(world.cluster.changes).contains("uncordon light-spot-0001");
        world.seconds(3);

        assertThat(world.cluster.pods.get("next-1").getSpec().getNodeName()).isEqualTo("light-spot-0001");
        assertThat(world.cloud.everMade()).isEqualTo(1);
    }

    /** The pod hangs on NFS, or in a driver, so that its kubelet cannot end it. */
    @Test
    void removesAMachineOnWhichAPodHangsThatWasToldToEnd() {
        burst(1);
        world.seconds(32);
        var end = world.clock.instant().plusSeconds(30);
        world.cluster.evictions.stuck.add("train-1");
        world.cluster.pods.computeIfPresent(
                "train-1",
                (name, pod) -> new PodBuilder(pod)
                        .editMetadata()
                        .withDeletionTimestamp(end.toString())
                        .endMetadata()
                        .build());
        world.seconds(30 + 600 - 1);
        assertThat(world.cloud.machines("light-spot")).hasSize(1);
        assertThat(world.events)
                .contains(
                        "light-spot-0001 NotRemoved: pod team/train-1 should have ended by %s and has not: its kubelet has not reported the end, or a finalizer holds the pod. The pod does not keep the machine after %s; see docs/troubleshooting.md#machine-stays"
                                .formatted(end, end.plusSeconds(600)));

        world.seconds(40);
        assertThat(world.cloud.machines("light-spot")).isEmpty();
    }

    @Test
    void terminatesAMachineThatHangsAfterItsPodHung() {
        burst(1);
        world.seconds(32);
        world.cluster.evictions.stuck.add("train-1");
        world.cluster.pods.computeIfPresent(
                "train-1",
                (name, pod) -> new PodBuilder(pod)
                        .editMetadata()
                        .withDeletionTimestamp(world.clock.instant().toString())
                        .endMetadata()
                        .build());
        world.seconds(600);
        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editMetadata()
                        .addToAnnotations(
                                "trainyard.dev/terminating-since",
                                world.clock.instant().toString())
                        .endMetadata()
                        .editStatus()
                        .editMatchingCondition(condition -> condition.getType().equals("Ready"))
                        .withStatus("Unknown")
                        .withLastTransitionTime(world.clock.instant().toString())
                        .endCondition()
                        .endStatus()
                        .build());

        world.seconds(60);

        assertThat(world.cloud.machines("light-spot")).isEmpty();
    }

    /** Other tools cordon, as {@code kubectl drain} and termination handlers do. */
    @Test
    void doesNotUncordonANodeThatSomebodyElseCordonsDuringItsRemoval() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(12);
        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) -> new NodeBuilder(node)
                        .editSpec()
                        .withUnschedulable(true)
                        .endSpec()
                        .build());

        world.waiting(1, "next", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(60);

        var cordoned = world.cluster.nodes.get("light-spot-0001");
        assertThat(cordoned.getSpec().getUnschedulable()).isTrue();
        assertThat(cordoned.getSpec().getTaints())
                .as("it is not the scaler's any more")
                .isEmpty();
        assertThat(world.cluster.pods.get("next-1").getSpec().getNodeName()).isEqualTo("light-spot-0002");
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
    void startsAnewWithANodeWhoseTaintAnOperatorTookOffDuringItsRemoval() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(12);
        world.cluster.nodes.computeIfPresent(
                "light-spot-0001",
                (name, node) ->
                        new NodeBuilder(node).editSpec().withTaints().endSpec().build());
        world.seconds(10);
        assertThat(world.cluster.nodes.get("light-spot-0001").getMetadata().getAnnotations())
                .doesNotContainKey("trainyard.dev/removing")
                .containsKey("trainyard.dev/idle-since");

        world.seconds(10);
        assertThat(world.nodesOf("light-spot")).isZero();
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
        assertThat(node.getSpec().getUnschedulable())
                .as("somebody else's cordon")
                .isTrue();
        assertThat(node.getMetadata().getAnnotations()).doesNotContainKey("trainyard.dev/terminating-since");
        assertThat(world.events).contains("light-spot-0001 Kept: pod team/train-1 is still on the node");
    }

    private void burst(int pods) {
        world.waiting(pods, "train", "light-gpu", "nvidia.com/gpu", "1");
    }
}
