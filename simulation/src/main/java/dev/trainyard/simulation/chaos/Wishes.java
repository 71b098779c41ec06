package dev.trainyard.simulation.chaos;

import dev.trainyard.core.Names;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What operators want of nodes, by a mark that keeps one or by a cordon, and that it is left to them. What the scaler decides of a node it writes
 * only over the node that it saw, so that no wish can be missed there; a machine goes later, and a wish may have come meanwhile.
 */
final class Wishes {

    /** What keeps a node, as {@code docs/scale-down.md} lists it: annotations or labels. */
    static final List<String> MARKS = List.of(
            Names.DO_NOT_DISRUPT,
            "karpenter.sh/do-not-consolidate",
            "karpenter.sh/do-not-disrupt",
            "cluster-autoscaler.kubernetes.io/scale-down-disabled",
            "openai/detached");

    /** Watches are late, processes stand still, and calls to clouds are long under way. */
    private static final Duration LATE = Duration.ofMinutes(3);

    private final World world;
    /** By node: since when it has been marked, in nanoseconds of the run. */
    private final Map<String, Long> marked = new HashMap<>();

    Wishes(World world) {
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

    /** The mark that keeps it. */
    static Optional<String> mark(Node node) {
        return Stream.of(node.getMetadata().getAnnotations(), node.getMetadata().getLabels())
                .flatMap(marks -> Optional.ofNullable(marks).orElse(Map.of()).entrySet().stream())
                .filter(mark -> MARKS.contains(mark.getKey()) && "true".equals(mark.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Whether somebody other than the scaler cordoned it. */
    static boolean isCordoned(Node node) {
        return Boolean.TRUE.equals(node.getSpec().getUnschedulable())
                && Departures.removal(node).isEmpty();
    }

    private Broken broken(String how) {
        return new Broken(Departures.NOT_OURS, world.time().elapsed(), how);
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            var name = after.getMetadata().getName();
            boolean begins = Departures.removal(before).isEmpty()
                    && Departures.removal(after).isPresent();
            var kept = mark(before);
            if (begins && kept.isPresent()) {
                throw broken("node %s is to be removed, which an operator marked with %s".formatted(name, kept.get()));
            }
            if (begins && isCordoned(before)) {
                throw broken("node %s is to be removed, which somebody else cordoned".formatted(name));
            }
            if (mark(after).isPresent()) {
                marked.putIfAbsent(name, world.time().nanos());
            } else {
                marked.remove(name);
            }
        }

        @Override
        public void removed(Node last) {
            marked.remove(last.getMetadata().getName());
        }
    }
}
