package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The scaler's decision on one node: the node's state, the reason for this state, and the next step.
 *
 * @param reason the reason for the state, in words
 * @param recheck when the verdict may change with time alone; empty if only a change in the cluster or in the cloud can change the verdict
 */
public record Verdict(NodeView node, NodeState state, String reason, Step step, Optional<Instant> recheck) {

    /** The next step for a node. */
    public sealed interface Step {}

    /** No step: the node stays as it is. */
    public record Keep() implements Step {}

    /** The first step of a removal: keeps new pods off the node by the scaler's own taint. */
    public record Cordon(Removal removal) implements Step {}

    /** The end of a removal that is cancelled: allows new pods on the node again. */
    public record Uncordon() implements Step {}

    /**
     * The first two steps of the removal of a machine that the cloud will reclaim, or that is broken: keeps new pods off the node, and evicts
     * its pods at once.
     */
    public record Drain(Removal removal, Evict eviction) implements Step {}

    /**
     * The eviction of these pods, as far as disruption budgets allow it.
     *
     * @param reclaim the notice of the machine's reclaim; empty if the machine stays until the pods have ended
     */
    public record Evict(List<PodOnNode> pods, Optional<NodeNotice> reclaim) implements Step {

        /** The time to leave between the end of a pod and the end of its machine. */
        private static final Duration MARGIN = Duration.ofSeconds(2);

        public Evict {
            pods = List.copyOf(pods);
        }

        /** Evicts pods from a machine that stays until they have ended. */
        public Evict(List<PodOnNode> pods) {
            this(pods, Optional.empty());
        }

        /**
         * Returns the grace period that replaces the pod's own, because the machine will be gone before that ends; empty if the pod can have
         * its own. If an assumed deadline has passed, the assumption was wrong, so the pod has its own grace period.
         */
        public Optional<Duration> grace(PodOnNode pod, Instant now) {
            // A grace period of zero would remove the pod without the kubelet's confirmation that it has ended.
            return reclaim.filter(notice -> notice.stated() || now.isBefore(notice.deadline()))
                    .map(NodeNotice::deadline)
                    .map(end -> Duration.ofSeconds(
                            Math.max(1, Duration.between(now, end).minus(MARGIN).toSeconds())))
                    .filter(left -> left.compareTo(pod.grace()) < 0);
        }
    }

    /** The request to the cloud to terminate the machine. */
    public record Terminate(Machine machine) implements Step {}

    /** The deletion of the Node object. */
    public record Delete() implements Step {}

    static final Step KEEP = new Keep();

    static Verdict keep(NodeView node, NodeState state, String reason) {
        return new Verdict(node, state, reason, KEEP, Optional.empty());
    }

    static Verdict keepUntil(NodeView node, NodeState state, String reason, Instant recheck) {
        return new Verdict(node, state, reason, KEEP, Optional.of(recheck));
    }

    /** Returns a verdict that keeps the node, with an additional reason. */
    Verdict because(String why) {
        return new Verdict(node, state, reason + "; " + why, KEEP, recheck);
    }

    static Verdict act(NodeView node, NodeState state, String reason, Step step) {
        return new Verdict(node, state, reason, step, Optional.empty());
    }
}
