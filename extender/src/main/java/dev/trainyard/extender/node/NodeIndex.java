package dev.trainyard.extender.node;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@link NodeRecord} for every node, always as the last event left it, in whatever order events of nodes, pods and
 * configuration arrive. Reading takes no lock and costs a map look-up; writers take turns. Saying a thing twice changes nothing.
 *
 * <p>A node or pod that cannot be read is left out, with one warning, and does not disturb the others.
 */
public final class NodeIndex {

    private static final Logger log = LoggerFactory.getLogger(NodeIndex.class);

    private record Placed(String node, Resources requests) {}

    private record Known(NodeShape shape, boolean removing) {}

    private final Map<String, NodeRecord> records = new ConcurrentHashMap<>();

    // What records are made of; guarded by this.
    private final Map<String, Known> nodes = new HashMap<>();
    private final Map<String, Placed> pods = new HashMap<>();
    private final Map<String, Set<String>> podsByNode = new HashMap<>();
    private final Set<String> unreadable = new HashSet<>();
    private Catalogue catalogue = Catalogue.EMPTY;

    /** Null when there is no such node, or none that can be read. */
    public @Nullable NodeRecord get(String name) {
        return records.get(name);
    }

    /** How many nodes it knows. */
    public int size() {
        return records.size();
    }

    /** Every record by node name, at one moment. */
    public synchronized Map<String, NodeRecord> snapshot() {
        return Map.copyOf(records);
    }

    /** The node is there, or has changed. */
    public synchronized void put(Node node) {
        var name = node.getMetadata().getName();
        var known = read(node, () -> new Known(NodeReader.shapeOf(node), isBeingRemoved(node)));
        if (known.isPresent()) {
            nodes.put(name, known.get());
        } else {
            nodes.remove(name);
        }
        refresh(name);
    }

    /** The node is gone. */
    public synchronized void remove(Node node) {
        nodes.remove(node.getMetadata().getName());
        unreadable.remove(key(node));
        refresh(node.getMetadata().getName());
    }

    /** The pod is there, or has changed. One without a node, or one that has ended, takes nothing. */
    public synchronized void put(Pod pod) {
        var key = key(pod);
        var before = pods.get(key);
        var after = takesRoom(pod)
                ? read(
                        pod,
                        () -> new Placed(
                                pod.getSpec().getNodeName(),
                                PodReader.shapeOf(pod).requests()))
                : Optional.<Placed>empty();
        if (before != null && after.isPresent() && before.equals(after.get())) {
            return;
        }
        unplace(key);
        after.ifPresent(placed -> {
            pods.put(key, placed);
            podsByNode.computeIfAbsent(placed.node(), node -> new HashSet<>()).add(key);
            refresh(placed.node());
        });
    }

    /** The pod is gone. */
    public synchronized void remove(Pod pod) {
        unreadable.remove(key(pod));
        unplace(key(pod));
    }

    /** Pools are now these. */
    public synchronized void configure(Catalogue catalogue) {
        this.catalogue = catalogue;
        nodes.keySet().forEach(this::refresh);
    }

    private void unplace(String key) {
        var placed = pods.remove(key);
        if (placed != null) {
            podsByNode.computeIfPresent(placed.node(), (node, keys) -> {
                keys.remove(key);
                return keys.isEmpty() ? null : keys;
            });
            refresh(placed.node());
        }
    }

    private void refresh(String name) {
        var known = nodes.get(name);
        if (known == null) {
            records.remove(name);
            return;
        }
        // Summed anew: amounts saturate, so what was added cannot always be taken away again.
        var used = Resources.NONE;
        for (var key : podsByNode.getOrDefault(name, Set.of())) {
            var placed = pods.get(key);
            used = placed == null ? used : used.plus(placed.requests());
        }
        var shape = known.shape();
        records.put(
                name,
                new NodeRecord(
                        shape, catalogue.poolOf(shape), shape.allocatable().minus(used), known.removing()));
    }

    /** Empty when the object is malformed in whatever way; that is said once, until it is mended or gone. */
    private <T> Optional<T> read(HasMetadata object, Supplier<T> reading) {
        try {
            var read = reading.get();
            unreadable.remove(key(object));
            return Optional.of(read);
        } catch (RuntimeException e) {
            if (unreadable.add(key(object))) {
                log.warn("{} is left out: {}", key(object), String.valueOf(e.getMessage()));
            }
            return Optional.empty();
        }
    }

    private static String key(HasMetadata object) {
        var metadata = object.getMetadata();
        return object instanceof Pod
                ? "pod " + metadata.getNamespace() + "/" + metadata.getName()
                : "node " + metadata.getName();
    }

    private static boolean isBeingRemoved(Node node) {
        var annotations = node.getMetadata().getAnnotations();
        return annotations != null && annotations.containsKey(Names.REMOVING);
    }

    private static boolean takesRoom(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        boolean ended = "Succeeded".equals(phase) || "Failed".equals(phase);
        boolean assigned = pod.getSpec() != null
                && pod.getSpec().getNodeName() != null
                && !pod.getSpec().getNodeName().isEmpty();
        return assigned && !ended;
    }
}
