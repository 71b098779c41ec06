package dev.trainyard.simulation.cluster;

import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A node in the scheduler's cache, with the pods that are bound or about to be bound to it. */
final class NodeSlot {

    private final TreeMap<String, Pod> pods = new TreeMap<>();
    private final TreeMap<String, Resources> requests = new TreeMap<>();
    private @Nullable NodeShape shape;
    private Resources free = Resources.NONE;

    /** Returns the node's shape; null if the node is malformed, or if the cache knows only pods of the node. */
    @Nullable
    NodeShape shape() {
        return shape;
    }

    Resources free() {
        return free;
    }

    Collection<Pod> pods() {
        return pods.values();
    }

    boolean isEmpty() {
        return shape == null && pods.isEmpty();
    }

    void see(@Nullable Node node) {
        shape = node == null ? null : read(node);
        recount();
    }

    /** Returns the shape of a node; null if the node is malformed. A real API server would have refused such a node. */
    private static @Nullable NodeShape read(Node node) {
        try {
            return NodeReader.shapeOf(node);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    void add(String key, Pod pod, Resources takes) {
        pods.put(key, pod);
        if (requests.put(key, takes) == null) {
            free = free.minus(takes);
        } else {
            recount();
        }
    }

    void remove(String key) {
        pods.remove(key);
        var took = requests.remove(key);
        free = took == null ? free : free.plus(took);
    }

    private void recount() {
        free = shape == null ? Resources.NONE : shape.allocatable();
        for (var taken : requests.values()) {
            free = free.minus(taken);
        }
    }
}
