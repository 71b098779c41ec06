package dev.trainyard.scaler.plan;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.NodeView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A group of nodes. For pending pods, the nodes differ only in their free resources, so node constraints are checked once for the whole
 * group.
 *
 * @param likeness the shape of one of the nodes, which represents them all
 * @param revocable whether the scaler is removing the nodes and can still cancel the removal
 * @param nodes the nodes of the group; all are usable
 */
record NodeGroup(NodeShape likeness, boolean revocable, List<NodeView> nodes) {

    private record Key(
            boolean revocable,
            Optional<String> pool,
            boolean reportsGpus,
            Map<String, String> labels,
            String name,
            List<Taint> taints,
            GpuKind gpu) {}

    /** @param shapes the shapes of all pending pods; labels and names that no shape refers to do not distinguish nodes */
    static List<NodeGroup> of(List<NodeView> nodes, Collection<PodShape> shapes) {
        var labels = new HashSet<String>();
        var names = new HashSet<String>();
        for (var shape : shapes) {
            labels.addAll(shape.nodeSelector().keySet());
            for (var term : shape.nodeTerms()) {
                term.labels().stream().map(LabelRequirement::key).forEach(labels::add);
                term.fields().stream().map(LabelRequirement::values).forEach(names::addAll);
            }
        }
        var groups = new LinkedHashMap<Key, List<NodeView>>();
        for (var node : nodes) {
            boolean inService = node.takesPods();
            if (inService || (node.usable() && node.revocable())) {
                groups.computeIfAbsent(key(node, !inService, labels, names), key -> new ArrayList<>())
                        .add(node);
            }
        }
        return groups.entrySet().stream()
                .map(entry -> new NodeGroup(
                        entry.getValue().get(0).uncordoned(), entry.getKey().revocable(), entry.getValue()))
                .sorted(Comparator.comparing(NodeGroup::revocable))
                .toList();
    }

    private static Key key(NodeView node, boolean revocable, Set<String> labels, Set<String> names) {
        var shape = node.uncordoned();
        var seen = new TreeMap<String, String>();
        for (var label : labels) {
            var value = shape.labels().get(label);
            if (value != null) {
                seen.put(label, value);
            }
        }
        return new Key(
                revocable,
                node.pool().map(Pool::name),
                shape.allocatable().gpus() > 0,
                seen,
                names.contains(node.name()) ? node.name() : "",
                shape.taints(),
                shape.gpu());
    }

    /** Returns the pool of all nodes of the group; empty if the nodes belong to no pool. */
    Optional<Pool> pool() {
        return nodes.get(0).pool();
    }
}
