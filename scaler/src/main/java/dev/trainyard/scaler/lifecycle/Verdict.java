package dev.trainyard.scaler.lifecycle;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.Machine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of a node, the reason for it, and the next step.
 *
 * @param reason the reason in words
 * @param recheck when the verdict may change by time alone; empty if only events can change it
 */
public record Verdict(NodeView node, NodeState state, String reason, Step step, Optional<Instant> recheck) {

    /** The next step. */
    public sealed interface Step {}

    /** Does nothing. */
    public record Keep() implements Step {}

    /** Keeps new pods off the node, and marks the removal as the scaler's. */
    public record Cordon(Removal removal) implements Step {}

    /** Allows pods on the node again. */
    public record Uncordon() implements Step {}

    /** Evicts these pods, if disruption budgets allow it. */
    public record Evict(List<PodOnNode> pods) implements Step {}

    /** Asks the cloud to terminate the machine. */
    public record Terminate(Machine machine) implements Step {}

    /** Deletes the Node object. */
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
