package dev.trainyard.chaos;

import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The invariant that the scaler keeps nodes that operators have marked as protected or cordoned. The scaler can write its choice only if the
 * node still has the version that the scaler read. So the scaler cannot miss an earlier mark or cordon. For a mark or cordon after the
 * choice, a delay is tolerated. An idle node may be removed 24 hours after the cordon. A node may be removed at any time if the cloud has
 * announced the reclaim of its machine.
 */
final class OperatorInvariants {

    static final String NOT_OURS = "nodes that operators hold stay";

    /** The tolerance, because watches are late, processes are suspended, and calls to clouds take long. */
    private static final Duration LATE = Duration.ofMinutes(3);

    /** The time after which the scaler may remove a cordoned node that is idle ({@code docs/scale-down.md}). */
    private static final Duration FORGOTTEN = Duration.ofHours(24);

    private final World world;
    private final AnnouncedNodes announced;
    /** The times since which nodes have been marked, by node, in nanoseconds of the run. */
    private final Map<String, Long> marked = new HashMap<>();
    /**
     * The times since which operators have cordoned nodes, by node, in nanoseconds of the run. Nodes are left out if the termination of
     * their machine was requested before the cordon.
     */
    private final Map<String, Long> cordoned = new HashMap<>();

    OperatorInvariants(World world, AnnouncedNodes announced) {
        this.world = world;
        this.announced = announced;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
    }

    /** Checks that a node has no protecting mark, before an action on the node, its machine or its pods. */
    void asks(String node, String what) {
        var since = marked.get(node);
        if (since != null && world.time().nanos() - since > LATE.toNanos() && !isReclaimed(node)) {
            throw broken("%s, although an operator marked the node as protected".formatted(what));
        }
    }

    /** Checks that no operator cordoned the node more than three minutes ago, before pods on it are evicted. */
    void evicts(String node, String what) {
        if (cordonedFor(node).compareTo(LATE) > 0 && !isReclaimed(node)) {
            throw broken("%s, although an operator cordoned the node".formatted(what));
        }
    }

    /** Checks like {@link #evicts}, before the machine of the node is terminated. The machine may be terminated 24 hours after the cordon. */
    void terminates(String node, String what) {
        if (cordonedFor(node).compareTo(FORGOTTEN) < 0) {
            evicts(node, what);
        }
    }

    /** Returns how long ago an operator cordoned the node; zero if the node is not cordoned. */
    private Duration cordonedFor(String node) {
        long now = world.time().nanos();
        return Duration.ofNanos(now - cordoned.getOrDefault(node, now));
    }

    /** Whether the cloud has announced the reclaim of the node's machine, or the machine's termination began during such a notice. */
    private boolean isReclaimed(String node) {
        return announced.mayBeActedOn(node)
                || world.server()
                        .nodes()
                        .get(node)
                        .filter(found -> NodeFacts.isTerminationRequested(found)
                                && NodeFacts.removal(found)
                                        .filter(removal -> removal.reason() == Removal.Reason.RECLAIM_ANNOUNCED)
                                        .isPresent())
                        .isPresent();
    }

    /** Whether the scaler may begin to remove a node although an operator cordoned it. */
    private boolean isLeftCordoned(Node node) {
        var name = node.getMetadata().getName();
        return NodeFacts.removal(node)
                        .filter(removal -> removal.reason() == Removal.Reason.LEFT_CORDONED)
                        .isPresent()
                && cordonedFor(name).compareTo(FORGOTTEN) >= 0
                && !world.isBusy(name);
    }

    private InvariantViolation broken(String how) {
        return new InvariantViolation(NOT_OURS, world.time().elapsed(), how);
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            var name = after.getMetadata().getName();
            boolean begins = NodeFacts.removalStarts(before, after) && !announced.mayBeActedOn(name);
            var kept = NodeFacts.mark(before);
            if (begins && kept.isPresent()) {
                throw broken("node %s is chosen for removal, although an operator protected the node with the mark %s"
                        .formatted(name, kept.get()));
            }
            if (begins && NodeFacts.isCordoned(before) && !isLeftCordoned(after)) {
                throw broken("node %s is chosen for removal, although an operator cordoned the node".formatted(name));
            }
            if (NodeFacts.isCordoned(before) && !NodeFacts.isCordoned(after) && !isByHand(before, after)) {
                throw broken("node %s is uncordoned, although an operator cordoned the node".formatted(name));
            }
            if (!NodeFacts.isCordoned(after)) {
                cordoned.remove(name);
            } else if (!NodeFacts.isTerminationRequested(before)) {
                cordoned.putIfAbsent(name, world.time().nanos());
            }
            if (NodeFacts.mark(after).isPresent()) {
                marked.putIfAbsent(name, world.time().nanos());
            } else {
                marked.remove(name);
            }
        }

        @Override
        public void removed(Node last) {
            marked.remove(last.getMetadata().getName());
            cordoned.remove(last.getMetadata().getName());
        }

        /** Whether an operator made the change. The scaler would also have removed its annotations in this change. */
        private static boolean isByHand(Node before, Node after) {
            return Objects.equals(
                    before.getMetadata().getAnnotations(), after.getMetadata().getAnnotations());
        }
    }
}
