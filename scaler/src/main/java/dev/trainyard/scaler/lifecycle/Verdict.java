package dev.trainyard.scaler.lifecycle;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.Machine;
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

    /** The eviction of these pods, as far as disruption budgets allow it. */
    public record Evict(List<PodOnNode> pods) implements Step {}

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
