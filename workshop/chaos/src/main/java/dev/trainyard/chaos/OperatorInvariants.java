package dev.trainyard.chaos;

import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What operators want of nodes, by a mark that keeps one or by a cordon, and that it is left to them. What the scaler decides of a node it writes
 * only over the node that it saw, so that no wish can be missed there; a machine goes later, and a wish may have come meanwhile.
 */
final class OperatorInvariants {

    static final String NOT_OURS = "what is not ours stays";

    /** Watches are late, processes stand still, and calls to clouds are long under way. */
    private static final Duration LATE = Duration.ofMinutes(3);

    private final World world;
    /** By node: since when it has been marked, in nanoseconds of the run. */
    private final Map<String, Long> marked = new HashMap<>();
    /** By node: since when somebody else has cordoned it, likewise. Not those whose machine was ordered to go before. */
    private final Map<String, Long> cordoned = new HashMap<>();

    OperatorInvariants(World world) {
        this.world = world;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
    }

    /** Before something is done to a node, or its machine, or to what is on it. */
    void asks(String node, String what) {
        var since = marked.get(node);
        if (since != null && world.time().nanos() - since > LATE.toNanos()) {
            throw broken("%s, which an operator marked".formatted(what));
        }
    }

    /** Before a machine goes, or what is on it has to. */
    void leaves(String node, String what) {
        var since = cordoned.get(node);
        if (since != null && world.time().nanos() - since > LATE.toNanos()) {
            throw broken("%s, which somebody else cordoned".formatted(what));
        }
    }

    private InvariantViolation broken(String how) {
        return new InvariantViolation(NOT_OURS, world.time().elapsed(), how);
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            var name = after.getMetadata().getName();
            boolean begins = NodeFacts.beginsToGo(before, after);
            var kept = NodeFacts.mark(before);
            if (begins && kept.isPresent()) {
                throw broken("node %s is to be removed, which an operator marked with %s".formatted(name, kept.get()));
            }
            if (begins && NodeFacts.isCordoned(before)) {
                throw broken("node %s is to be removed, which somebody else cordoned".formatted(name));
            }
            if (NodeFacts.isCordoned(before) && !NodeFacts.isCordoned(after) && !isByHand(before, after)) {
                throw broken("node %s is uncordoned, which somebody else cordoned".formatted(name));
            }
            if (!NodeFacts.isCordoned(after)) {
                cordoned.remove(name);
            } else if (!NodeFacts.isOrderedToGo(before)) {
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

        /** The scaler removes its marks in the same step. */
        private static boolean isByHand(Node before, Node after) {
            return Objects.equals(
                    before.getMetadata().getAnnotations(), after.getMetadata().getAnnotations());
        }
    }
}
