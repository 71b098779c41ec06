package dev.trainyard.scaler.lifecycle;

import static dev.trainyard.scaler.lifecycle.Nodes.LONG_AGO;
import static dev.trainyard.scaler.lifecycle.Nodes.marked;
import static dev.trainyard.scaler.lifecycle.Nodes.removing;
import static dev.trainyard.scaler.lifecycle.Nodes.tainted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Noon is the time of the snapshot. The taint of AWS means that the machine is gone two minutes after the scaler first saw the taint. */
class AnnouncedReclaimTest {

    private static final String TAINT = "aws-node-termination-handler/spot-itn";
    private static final String NOTICE =
            "taint aws-node-termination-handler/spot-itn; the machine will be gone at 2026-01-01T12:02:00Z (assumed)";

    private final Nodes world =
            new Nodes(new SnapshotFixture().pool("p", Objects.spot(1)).tier("t", "p"));

    @Test
    void taintsNodeAndEvictsItsPodsInOneStep() {
        world.node("n", announced()).running("train", "n", "nvidia.com/gpu", "1");

        var step = (Verdict.Drain) verdict("n").step();

        assertThat(step.removal()).isEqualTo(new Removal(Removal.Reason.RECLAIM_ANNOUNCED, Objects.NOON));
        assertThat(step.eviction().pods()).extracting(Object::toString).containsExactly("team/train");
        assertThat(world.judge("n")).isEqualTo("reclaim-announced Drain: " + NOTICE);
    }

    /** Marks, gangs and a missing controller hold back other removals only: the machine goes anyway. */
    @Test
    void evictsPodsThatKeepMachinesOtherwise() {
        world.node("n", announced()).running("train", "n", "nvidia.com/gpu", "1");
        world.lastPod(pod -> pod.editMetadata()
                .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                .addToAnnotations(Names.GANG, "g")
                .addToAnnotations(Names.GANG_SIZE, "2")
                .withOwnerReferences()
                .endMetadata());

        assertThat(((Verdict.Drain) verdict("n").step()).eviction().pods()).hasSize(1);
    }

    @Test
    void doesNotHeedTheMarkOfAnOperatorOnTheNode() {
        world.node("n", both(announced(), marked("do-not-disrupt", "true")));

        assertThat(world.judge("n")).startsWith("reclaim-announced Drain: ");
    }

    @Test
    void drainsNodeThatTheHandlerHasCordoned() {
        world.node("n", Nodes.cordoned(announced()));

        assertThat(world.judge("n")).startsWith("reclaim-announced Drain: ");
    }

    @Test
    void replacesRemovalThatHadBegun() {
        world.node("n", both(announced(), removing("under-utilized, " + LONG_AGO)))
                .running("train", "n", "nvidia.com/gpu", "1");

        assertThat(world.judge("n")).startsWith("reclaim-announced Drain: ");
    }

    @Test
    void retriesRefusedEvictionAfterTwoSeconds() {
        world.node(
                        "n",
                        both(
                                announced(),
                                removing(
                                        "reclaim-announced, 2026-01-01T11:59:50Z",
                                        "evictions-refused",
                                        "5, 2026-01-01T11:59:59Z")))
                .running("train", "n", "nvidia.com/gpu", "1");

        assertThat(verdict("n").recheck()).contains(Objects.NOON.plusSeconds(1));
        world.testCluster.later(Duration.ofSeconds(1));
        assertThat(world.judge("n")).isEqualTo("reclaim-announced Evict: " + NOTICE);
    }

    @Test
    void terminatesEmptyMachineAfterTheSchedulerHasSettled() {
        world.node("n", both(announced(), removing("reclaim-announced, 2026-01-01T11:59:59Z")));

        assertThat(verdict("n").recheck()).contains(Objects.NOON.plusSeconds(1));
        world.testCluster.later(Duration.ofSeconds(1));
        assertThat(world.judge("n")).isEqualTo("reclaim-announced Terminate: " + NOTICE);
    }

    /** An Auto Scaling group terminates a machine itself, and waits for a lifecycle hook. */
    @Test
    void drainsMachineThatTheCloudIsDeletingAndReleasesItIfHeld() {
        world.node("n", announced()).running("train", "n", "nvidia.com/gpu", "1");
        state(State.HELD);
        assertThat(world.judge("n")).startsWith("reclaim-announced Drain: ");

        world.testCluster.pods.clear();
        world.node("empty", both(announced(), removing("reclaim-announced, 2026-01-01T11:59:00Z")));
        state(State.HELD);
        assertThat(world.judge("empty")).startsWith("reclaim-announced Terminate: ");
        state(State.DELETING);
        assertThat(world.judge("empty")).startsWith("reclaim-announced Keep: ");
    }

    private static final String HELD = "lifecycle hook; the machine will be gone at 2026-01-01T12:02:00Z (assumed)";

    /** A hook of the group, without a queue of its events. */
    @Test
    void cordonsAndDrainsHeldMachineWithoutNoticeOnItsNode() {
        world.node("n", marked("usable-since", LONG_AGO)).running("train", "n", "nvidia.com/gpu", "1");
        state(State.HELD);

        assertThat(world.judge("n")).isEqualTo("reclaim-announced Drain: " + HELD);
        assertThat(world.notes("n"))
                .containsEntry(Names.NOTICED_SINCE, Optional.of("lifecycle hook 2026-01-01T12:00:00Z"));
        assertThat(world.testCluster.snapshot().leaving()).hasSize(1);
    }

    @Test
    void drainsHeldMachineThatHasLostGpus() {
        world.node(
                "n",
                both(
                        marked(
                                "usable-since",
                                LONG_AGO,
                                "most-gpus",
                                "1",
                                "noticed-since",
                                "lifecycle hook 2026-01-01T12:00:00Z, lost GPUs 2026-01-01T11:00:00Z"),
                        node -> node.editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus()));
        state(State.HELD);

        assertThat(world.judge("n")).isEqualTo("reclaim-announced Drain: " + HELD);
        assertThat(world.notes("n")).doesNotContainKey(Names.NOTICED_SINCE);
    }

    @Test
    void releasesHeldMachineOnlyOnceItsNodeIsCordoned() {
        world.node("n", marked("usable-since", LONG_AGO));
        state(State.HELD);
        assertThat(world.judge("n")).isEqualTo("reclaim-announced Drain: " + HELD);

        world.node(
                "empty", both(marked("usable-since", LONG_AGO), removing("reclaim-announced, 2026-01-01T11:59:00Z")));
        state(State.HELD);
        assertThat(world.judge("empty")).isEqualTo("reclaim-announced Terminate: " + HELD);
    }

    @Test
    void heldMachineStaysUnderNoticeWhileItsPoolCannotBeRead() {
        world.node(
                        "n",
                        both(
                                marked("noticed-since", "lifecycle hook 2026-01-01T11:59:00Z"),
                                removing("reclaim-announced, 2026-01-01T11:59:00Z")))
                .running("train", "n", "nvidia.com/gpu", "1");
        world.testCluster.unreadable("p");
        assertThat(world.judge("n")).startsWith("reclaim-announced Evict: lifecycle hook; ");

        state(State.RUNNING);
        assertThat(world.judge("n")).endsWith("Uncordon: the cloud no longer announces a reclaim");
    }

    /** The hook may have an hour. The machine goes all the same, so the node takes no pods again. */
    @Test
    void heldMachineOutlivesNoNotice() {
        world.node(
                        "n",
                        both(
                                marked("noticed-since", "lifecycle hook 2026-01-01T11:00:00Z"),
                                removing("reclaim-announced, 2026-01-01T11:00:00Z")))
                .running("train", "n", "nvidia.com/gpu", "1");
        state(State.HELD);

        assertThat(world.judge("n")).startsWith("reclaim-announced Evict: lifecycle hook; ");
    }

    /** No kubelet confirms the end of the pods. */
    @Test
    void deletesNodeOfHeldMachineAfterTheDeadlineIfItIsNotReady() {
        world.node(
                        "n",
                        both(
                                marked("noticed-since", "lifecycle hook 2026-01-01T11:58:01Z"),
                                both(
                                        removing("reclaim-announced, 2026-01-01T11:58:01Z"),
                                        Nodes.deadSince("2026-01-01T11:55:00Z"))))
                .running("train", "n", "nvidia.com/gpu", "1");
        world.lastPod(pod ->
                pod.editMetadata().withDeletionTimestamp("2026-01-01T12:02:00Z").endMetadata());
        state(State.HELD);

        assertThat(world.judge("n")).startsWith("reclaim-announced Keep: ");
        world.testCluster.later(Duration.ofSeconds(1));
        assertThat(world.judge("n")).startsWith("evicted Delete: its machine waits to be terminated");
    }

    private void state(State state) {
        world.testCluster.cloud(
                "p",
                0,
                SnapshotFixture.machine("p", "n", state, Objects.NOON),
                SnapshotFixture.machine("p", "empty", state, Objects.NOON));
    }

    /** Azure stops a reclaimed machine, instead of deleting it, if its eviction policy is Deallocate. */
    @Test
    void deletesNodeSoonAfterItsMachineWasStopped() {
        world.node(
                        "n",
                        both(
                                both(announced(), removing("reclaim-announced, 2026-01-01T11:59:00Z")),
                                Nodes.deadSince("2026-01-01T11:59:51Z")))
                .running("train", "n", "nvidia.com/gpu", "1");
        world.testCluster.cloud("p", 1, SnapshotFixture.machine("p", "n", State.FAILED, Objects.NOON));

        assertThat(world.judge("n")).startsWith("evicted Keep: ");
        world.testCluster.later(Duration.ofSeconds(1));
        assertThat(world.judge("n")).startsWith("evicted Delete: the cloud reports its machine as failed");
    }

    @Test
    void cancelsRemovalIfTheNoticeIsWithdrawn() {
        world.node("n", removing("reclaim-announced, 2026-01-01T11:59:00Z"));

        assertThat(world.judge("n")).isEqualTo("grace-period Uncordon: the cloud no longer announces a reclaim");
    }

    @Test
    void putsMarkedNodeBackIntoServiceIfTheNoticeIsWithdrawn() {
        world.node("n", both(marked("do-not-disrupt", "true"), removing("reclaim-announced, 2026-01-01T11:59:00Z")));

        assertThat(world.judge("n")).isEqualTo("grace-period Uncordon: the cloud no longer announces a reclaim");
    }

    @Test
    void recordsSinceWhenTheNoticeOfMarkedNodeIsKnown() {
        world.node(
                "n",
                both(
                        marked("do-not-disrupt", "true"),
                        tainted("aws-node-termination-handler/rebalance-recommendation")));

        assertThat(world.notes("n")).containsOnlyKeys(Names.NOTICED_SINCE);
    }

    @Test
    void cancelsRemovalIfTheMachineOutlivesTheNotice() {
        world.node("n", both(announced(), removing("reclaim-announced, 2026-01-01T12:00:00Z")))
                .running("train", "n", "nvidia.com/gpu", "1");
        world.testCluster.later(Duration.ofMinutes(7));

        assertThat(world.judge("n"))
                .isEqualTo(
                        "grace-period Uncordon: the machine still exists, although taint aws-node-termination-handler/spot-itn"
                                + " announced its end for 2026-01-01T12:02:00Z");
    }

    @Test
    void keepsNodeInServiceOnRecommendation() {
        world.node("n", both(Nodes.idleSince(LONG_AGO), condition("SpotRebalanceRecommendation Advisory: .")))
                .running("train", "n", "nvidia.com/gpu", "1");

        assertThat(world.judge("n"))
                .isEqualTo("busy Keep: 1 pod uses 100 % of its GPUs; condition PreemptionScheduled");
    }

    @Test
    void recordsSinceWhenTheNoticeIsKnown() {
        world.node("n", both(marked("usable-since", LONG_AGO, "idle-since", LONG_AGO), tainted(TAINT)));

        assertThat(world.notes("n"))
                .containsEntry(Names.NOTICED_SINCE, Optional.of("taint " + TAINT + " 2026-01-01T12:00:00Z"));
    }

    /** The time of the recommendation must not count for the interruption. */
    @Test
    void leavesTwoMinutesForInterruptionTenMinutesAfterRecommendation() {
        world.node(
                        "n",
                        both(
                                marked(
                                        "usable-since",
                                        LONG_AGO,
                                        "noticed-since",
                                        "taint aws-node-termination-handler/rebalance-recommendation 2026-01-01T11:50:00Z"),
                                tainted(TAINT)))
                .running("train", "n", "nvidia.com/gpu", "1");

        assertThat(world.judge("n")).isEqualTo("reclaim-announced Drain: " + NOTICE);
        assertThat(world.notes("n"))
                .containsEntry(Names.NOTICED_SINCE, Optional.of("taint " + TAINT + " 2026-01-01T12:00:00Z"));
    }

    @Test
    void leavesPodsTheirGracePeriodOnlyIfTheMachineExistsForSoLong() {
        world.node("n", announced()).running("train", "n", "nvidia.com/gpu", "1");
        world.lastPod(
                pod -> pod.editSpec().withTerminationGracePeriodSeconds(90L).endSpec());
        var step = (Verdict.Drain) verdict("n").step();
        var pod = step.eviction().pods().get(0);

        assertThat(step.eviction().grace(pod, Objects.NOON)).isEmpty();
        assertThat(step.eviction().grace(pod, Objects.NOON.plusSeconds(60))).contains(Duration.ofSeconds(58));
        assertThat(step.eviction().grace(pod, Objects.NOON.plusSeconds(119))).contains(Duration.ofSeconds(1));
        assertThat(step.eviction().grace(pod, Objects.NOON.plusSeconds(120)))
                .as("the assumed time is over, but the machine still exists")
                .isEmpty();
    }

    private Verdict verdict(String node) {
        return Lifecycle.judge(world.testCluster.snapshot(), Set.of()).stream()
                .filter(verdict -> verdict.node().name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private static UnaryOperator<NodeBuilder> announced() {
        return both(
                marked("usable-since", LONG_AGO, "noticed-since", "taint " + TAINT + " 2026-01-01T12:00:00Z"),
                tainted(TAINT));
    }

    private static UnaryOperator<NodeBuilder> condition(String message) {
        return node -> node.editStatus()
                .addNewCondition()
                .withType("PreemptionScheduled")
                .withStatus("True")
                .withMessage(message)
                .endCondition()
                .endStatus();
    }

    private static UnaryOperator<NodeBuilder> both(UnaryOperator<NodeBuilder> one, UnaryOperator<NodeBuilder> other) {
        return node -> other.apply(one.apply(node));
    }
}
