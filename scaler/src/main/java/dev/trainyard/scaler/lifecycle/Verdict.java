package dev.trainyard.scaler.lifecycle;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.Machine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a node is, why, and what is to be done about it.
 *
 * @param reason in words
 * @param recheck when it may be something else by the mere passing of time; empty when only events can change it
 */
public record Verdict(NodeView node, NodeState state, String reason, Step step, Optional<Instant> recheck) {

    /** What is to be done. */
    public sealed interface Step {}

    /** Nothing. */
    public record Keep() implements Step {}

    /** Keep new pods away, and note that it was us. */
    public record Cordon(Removal removal) implements Step {}

    /** Let pods in again. */
    public record Uncordon() implements Step {}

    /** Ask these pods to leave, as far as disruption budgets allow. */
    public record Evict(List<PodOnNode> pods) implements Step {}

    /** Order the machine to go. */
    public record Terminate(Machine machine) implements Step {}

    /** Delete the Node object. */
    public record Delete() implements Step {}

    static final Step KEEP = new Keep();

    static Verdict keep(NodeView node, NodeState state, String reason) {
        return new Verdict(node, state, reason, KEEP, Optional.empty());
    }

    static Verdict keepUntil(NodeView node, NodeState state, String reason, Instant recheck) {
        return new Verdict(node, state, reason, KEEP, Optional.of(recheck));
    }

    /** The same, and nothing is done for this reason besides. */
    Verdict because(String why) {
        return new Verdict(node, state, reason + "; " + why, KEEP, recheck);
    }

    static Verdict act(NodeView node, NodeState state, String reason, Step step) {
        return new Verdict(node, state, reason, step, Optional.empty());
    }
}
