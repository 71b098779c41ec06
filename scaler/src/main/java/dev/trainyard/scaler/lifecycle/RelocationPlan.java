package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.catalogue.PlacementPolicy;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A plan of where the pods of emptied machines will run: on machines that stay and have free room. The same room is assigned only once. The
 * fullest machines are filled first, so that less full machines can be emptied later. Not thread-safe; used for one round.
 */
final class RelocationPlan {

    /** The destination nodes of moved pods, or a pod that fits nowhere. */
    record Moved(SortedSet<String> nodes, Optional<PodOnNode> unfit) {}

    /** A machine that is expected to stay. */
    private static final class Place {
        private final NodeView node;
        private Resources free;
        private boolean receives;
        private boolean leaves;

        Place(NodeView node) {
            this.node = node;
            this.free = node.shape().allocatable().minus(node.used());
        }
    }

    private final PlacementPolicy policy;
    private final Map<String, Place> places = new TreeMap<>();
    /** By shape of pods: the machines that such pods may use if enough resources are free, the fullest machine first. */
    private final Map<PodShape, List<Place>> allowed = new HashMap<>();

    private final List<Place> fullestFirst;

    /**
     * @param policy decides which nodes a pod may use. Nodes that the pod may use only as a last resort are excluded, so that CPU pods are
     *     not moved to GPU nodes
     * @param staying the nodes whose machines stay
     */
    RelocationPlan(PlacementPolicy policy, Collection<NodeView> staying) {
        this.policy = policy;
        staying.forEach(node -> places.put(node.name(), new Place(node)));
        fullestFirst = places.values().stream()
                .sorted(Comparator.comparingLong((Place place) -> place.free.gpus())
                        .thenComparingLong(place -> place.free.get(ResourceNames.CPU))
                        .thenComparing(place -> place.node.name()))
                .toList();
    }

    /** Whether pods of other machines are to move to the node. */
    boolean receives(NodeView node) {
        var place = places.get(node.name());
        return place != null && place.receives;
    }

    /** Excludes a node as a destination, since it is emptied itself. */
    void leaves(NodeView node) {
        var place = places.get(node.name());
        if (place != null) {
            place.leaves = true;
        }
    }

    /** Assigns places to all of these pods of one machine. Assigns none if one of the pods fits nowhere. */
    Moved move(NodeView from, List<PodOnNode> pods) {
        var before = new HashMap<Place, Resources>();
        var nodes = new TreeSet<String>();
        for (var pod : hardestFirst(pods)) {
            var place = placeFor(from, pod);
            if (place.isEmpty()) {
                before.forEach((taken, free) -> taken.free = free);
                return new Moved(new TreeSet<>(), Optional.of(pod));
            }
            before.putIfAbsent(place.get(), place.get().free);
            place.get().free = place.get().free.minus(pod.requests());
            nodes.add(place.get().node.name());
        }
        before.keySet().forEach(place -> place.receives = true);
        return new Moved(nodes, Optional.empty());
    }

    private Optional<Place> placeFor(NodeView from, PodOnNode pod) {
        return pod.shape()
                .flatMap(shape -> allowed.computeIfAbsent(shape, this::allowedFor).stream()
                        .filter(place -> !place.leaves && !place.node.name().equals(from.name()))
                        .filter(place -> place.free.timesHolding(shape.requests()) > 0)
                        .findFirst());
    }

    private List<Place> allowedFor(PodShape shape) {
        return fullestFirst.stream()
                .filter(place -> Fit.checkPlacement(shape, place.node.shape()).isEmpty()
                        && policy.access(shape, place.node.pool(), place.node.shape()) == Access.ALLOWED)
                .toList();
    }

    private static List<PodOnNode> hardestFirst(List<PodOnNode> pods) {
        var sorted = new ArrayList<>(pods);
        sorted.sort(Comparator.comparingLong((PodOnNode pod) -> pod.requests().gpus())
                .thenComparingLong(pod -> pod.requests().get(ResourceNames.CPU))
                .thenComparingLong(pod -> pod.requests().get(ResourceNames.MEMORY))
                .reversed()
                .thenComparing(PodOnNode::toString));
        return sorted;
    }
}
