package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The differences between a node's labels and the labels that the scaler gives to nodes of the same pool.
 *
 * @param missing labels that the node lacks, with the values that the scaler will give
 * @param foreign labels that the node has with other values, mapped to the values that the scaler would give
 */
public record NodeLabels(SortedMap<String, String> missing, SortedMap<String, String> foreign) {

    /** The result for a node without differences. Also the result for a node whose machine is listed by no cloud. */
    public static final NodeLabels COMPLETE = new NodeLabels(new TreeMap<>(), new TreeMap<>());

    public NodeLabels {
        missing = Collections.unmodifiableSortedMap(missing);
        foreign = Collections.unmodifiableSortedMap(foreign);
    }

    /** @param owner the pool whose cloud lists the node's machine */
    static NodeLabels of(Map<String, String> labels, Pool owner) {
        var wanted = new TreeMap<>(Map.of(
                Names.POOL, owner.name(),
                Names.CAPACITY_TYPE, owner.capacityType().toString()));
        var missing = new TreeMap<>(wanted);
        missing.keySet().removeAll(labels.keySet());
        var foreign = new TreeMap<>(wanted);
        foreign.entrySet()
                .removeIf(label ->
                        labels.getOrDefault(label.getKey(), label.getValue()).equals(label.getValue()));
        return missing.isEmpty() && foreign.isEmpty() ? COMPLETE : new NodeLabels(missing, foreign);
    }
}
