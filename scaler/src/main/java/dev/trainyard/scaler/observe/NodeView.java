package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node and its pods.
 *
 * @param shape the node's shape, including labels that the scaler has yet to set
 * @param providerId the cloud's identifier of the node's machine; null if the node states none
 * @param pool the pool of the node; empty if the node belongs to no pool
 * @param foreign whether only labels assign the node to its pool, while the pool's cloud lists no machine for the node. Pods may run on
 *     such a node, but the node does not count as one of the pool's machines
 * @param labels the differences between the node's real labels and the labels that the scaler gives to nodes of the pool
 * @param notReadySince when the node lost its condition Ready; empty while it is Ready, or if the time is unknown
 * @param lastTraining when the last training pod on the node ended, among the ended pods that still exist as objects; empty if there is
 *     none
 * @param notice the most urgent notice on the node; empty if there is none
 * @param exempt why the node is never removed, such as an operator's mark; empty if it may be removed
 */
public record NodeView(
        NodeShape shape,
        @Nullable String providerId,
        Optional<Pool> pool,
        boolean foreign,
        NodeLabels labels,
        boolean ready,
        Optional<Instant> notReadySince,
        Instant created,
        ScalerAnnotations marks,
        Optional<Instant> lastTraining,
        Optional<NodeNotice> notice,
        Optional<String> exempt,
        List<PodOnNode> pods) {

    /** A node that is older than this when the scaler first sees it does not count as just joined. */
    private static final Duration ADOPTED = Duration.ofMinutes(1);

    /** The time to wait for labels that clouds add a moment after a node is Ready. */
    private static final Duration SETTLING = Duration.ofSeconds(30);

    public NodeView {
        pods = List.copyOf(pods);
    }

    public String name() {
        return shape.name();
    }

    /** Whether this is the node of {@code machine}. */
    public boolean isOn(Machine machine) {
        return machine.isOf(providerId, name());
    }

    /**
     * Returns a property that the pool promises and the node lacks, as text; empty if the node lacks none. A cordon makes no difference.
     */
    public Optional<String> lacking() {
        return Readiness.lacking(shape, ready, pool);
    }

    /** Whether the node has everything that its pool promises. */
    public boolean isComplete() {
        return lacking().isEmpty();
    }

    /** Whether pods can run on the node: it is complete, or was complete and has lost only a part, such as a GPU. */
    public boolean usable() {
        return isComplete() || (wasUsable() && Readiness.isRunning(shape, ready));
    }

    /** Returns a promised property that the node has lost while it stays usable, as text; empty if there is none. */
    public Optional<String> damage() {
        return lacking().filter(lost -> usable()).map("the node is no longer %s"::formatted);
    }

    /** Whether the node is complete and takes pods, and all its pods belong to DaemonSets or are static pods. */
    public boolean isFree() {
        return takesPods()
                && isComplete()
                && trainingPods().isEmpty()
                && stuckPods().isEmpty();
    }

    /** Whether pods can be bound to the node: it is usable, not cordoned, and stays. */
    public boolean takesPods() {
        return usable() && cordon().isOpen() && stays() && !isSick();
    }

    /** Whether the node's machine stays: the scaler is neither removing nor replacing it, and the cloud has not announced its reclaim. */
    public boolean stays() {
        return marks.removal().isEmpty() && !terminating() && leaveNotice().isEmpty();
    }

    /** Returns the notice that makes the node's pods leave: the cloud reclaims the machine, or it is broken; empty if they stay. */
    public Optional<NodeNotice> leaveNotice() {
        return notice.filter(NodeNotice::emptiesMachine);
    }

    /** Whether the machine is broken, so that no pod is placed on it. */
    public boolean isSick() {
        return notice.filter(NodeNotice::isSick).isPresent();
    }

    /** Whether the machine shows a sign that it is broken, but has not shown it for long enough. */
    public boolean isSuspect() {
        return notice.filter(seen -> seen.kind() == NodeNotice.Kind.SUSPECT).isPresent();
    }

    /** Whether the scaler is removing the machine because it is broken. */
    public boolean isRemovedAsSick() {
        return marks.isRemovedAsSick();
    }

    /**
     * Returns the notice that keeps the scaler from cancelling the removal of a broken machine: its signs come and go, or have only just
     * gone.
     */
    public Optional<NodeNotice> unsettled() {
        return notice.filter(seen -> isRemovedAsSick())
                .filter(seen -> seen.kind() == NodeNotice.Kind.SUSPECT || seen.kind() == NodeNotice.Kind.RECOVERING);
    }

    /**
     * Returns why no pod can leave the machine now, as text; empty if a pod can, or if all pods have left or are about to.
     *
     * @param staying see {@link Snapshot#staying}
     */
    public Optional<String> stayingBecause(StayingPods staying) {
        var reasons = trainingPods().stream()
                .filter(pod -> !pod.terminating())
                .map(staying::reason)
                .toList();
        return reasons.stream().allMatch(Optional::isPresent)
                ? reasons.stream().flatMap(Optional::stream).findFirst()
                : Optional.empty();
    }

    /** Returns the same node with another notice. */
    NodeView with(NodeNotice other) {
        return new NodeView(
                shape,
                providerId,
                pool,
                foreign,
                labels,
                ready,
                notReadySince,
                created,
                marks,
                lastTraining,
                Optional.of(other),
                exempt,
                pods);
    }

    /** Returns the notice of the node's reclaim; empty if there is none. */
    public Optional<NodeNotice> reclaim() {
        return notice.filter(NodeNotice::isReclaim);
    }

    /**
     * Returns the time since which the node has been usable; only valid while it is usable. If the time is unknown, an exempt node counts
     * as usable since its creation. Any other node counts as usable since {@code now}.
     */
    public Instant usableSince(Instant now) {
        return marks.usableSince().orElse(exempt.isEmpty() ? now : created);
    }

    /**
     * Returns when the node has been usable long enough to have all of its labels; only valid while it is usable. The node cannot be
     * removed as idle before that time.
     */
    public Instant settledAt(Instant now) {
        var settling = pool.map(p -> p.idleAfter().dividedBy(2))
                .filter(half -> half.compareTo(SETTLING) < 0)
                .orElse(SETTLING);
        return usableSince(now).plus(settling);
    }

    /** Whether the node has been usable long enough to have all of its labels. */
    public boolean hasSettled(Instant now) {
        return usable() && !now.isBefore(settledAt(now));
    }

    /** Whether the node belongs to a pool, was never usable, and may still become usable. */
    public boolean registering() {
        return !usable() && pool.isPresent() && !wasUsable();
    }

    /**
     * Whether the node was ever usable. The proof is an annotation of the scaler, or a training pod that has started. A node that is older
     * than the scaler may have no annotation, only a pod. On a GPU node, such a pod is a proof only if it requests GPUs.
     */
    public boolean wasUsable() {
        boolean withGpus = pool.filter(p -> p.promisedGpus() > 0).isPresent();
        return marks.usableSince().isPresent()
                || trainingPods().stream()
                        .anyMatch(pod ->
                                pod.started() && (!withGpus || pod.requests().gpus() > 0));
    }

    /**
     * Returns when the node is given up if it is not usable by then. A node that was old when the scaler first saw it gets the full timeout
     * from that moment. The reason: such a node may have been in use for weeks before it was assigned to a pool.
     *
     * @param ofMachine the launch deadline of the node's machine; if the machine is unknown, the deadline of a machine that was created at
     *     the same time as the node
     */
    public Instant launchDeadline(Instant ofMachine, Duration timeout, Instant now) {
        // The scaler never annotates an exempt node. If the node counted as newly seen in each round, its deadline
        // would never pass. Pods would wait for the node without end.
        var seen = marks.seenSince().orElse(exempt.isEmpty() ? now : created);
        var fromThen = seen.plus(timeout);
        return seen.isAfter(created.plus(ADOPTED)) && fromThen.isAfter(ofMachine) ? fromThen : ofMachine;
    }

    public List<PodOnNode> trainingPods() {
        return pods.stream().filter(PodOnNode::keepsNodeBusy).toList();
    }

    /**
     * Returns the pods that should have ended at least {@link PodOnNode#STUCK} ago. Such pods do not prevent the removal of the machine.
     */
    public List<PodOnNode> stuckPods() {
        return pods.stream().filter(pod -> pod.kind() == PodOnNode.Kind.STUCK).toList();
    }

    public Resources used() {
        return pods.stream().map(PodOnNode::requests).reduce(Resources.NONE, Resources::plus);
    }

    /**
     * Returns the time since which the node has had no training pod. This is the annotated time or the end of the last pod, whichever is
     * later: a pod may have run between two rounds. Without an annotation, the time is unknown: a pod that no longer exists as an object
     * may have run until just now.
     *
     * @return empty while a training pod is on the node, and before the time is annotated
     */
    public Optional<Instant> idleSince() {
        if (!trainingPods().isEmpty()) {
            return Optional.empty();
        }
        return marks.idleSince()
                .map(noted -> lastTraining.filter(noted::isBefore).orElse(noted));
    }

    /** Returns the cordons and taints that keep new pods off the node. */
    public Cordon cordon() {
        return Cordon.of(shape);
    }

    /** Whether the scaler can still cancel the removal of this node: termination has not begun, and only the scaler keeps pods off. */
    public boolean revocable() {
        return marks.removal().isPresent()
                && marks.terminatingSince().isEmpty()
                && reclaim().isEmpty()
                && !isSick()
                && unsettled().isEmpty()
                && cordon().others().isEmpty();
    }

    /** Whether the scaler has decided to remove the machine for another reason than an announced reclaim. */
    boolean isRemovedByChoice() {
        return marks.removal()
                .map(removal -> removal.reason() != Removal.Reason.RECLAIM_ANNOUNCED)
                .orElse(terminating());
    }

    public boolean terminating() {
        return marks.terminatingSince().isPresent();
    }

    /** Returns the node's shape as if nothing had cordoned the node. */
    public NodeShape uncordoned() {
        return new NodeShape(
                shape.name(),
                shape.labels(),
                Cordon.withoutCordons(shape.taints()),
                true,
                shape.allocatable(),
                shape.gpu());
    }
}
