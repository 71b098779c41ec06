package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The labels that tell a pool's nodes. They are those that the pool promises, without {@link Names#POOL}: machines that nobody labelled
 * with it belong to the pool too. Only a pool that promises nothing else is told by that label.
 */
record PoolTerm(SortedMap<String, String> labels) {

    PoolTerm {
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    static PoolTerm of(Pool pool) {
        var labels = new TreeMap<>(pool.promise().labels());
        labels.remove(Names.POOL);
        return new PoolTerm(labels.isEmpty() ? new TreeMap<>(Map.of(Names.POOL, pool.name())) : labels);
    }

    /**
     * Terms that together match what the terms of all {@code pools} match: one that demands all that another demands, and more, adds
     * nothing.
     */
    static List<PoolTerm> anyOf(List<Pool> pools) {
        var terms = pools.stream().map(PoolTerm::of).distinct().toList();
        return terms.stream()
                .filter(term -> terms.stream().noneMatch(other -> !other.equals(term) && term.implies(other)))
                .toList();
    }

    /** Whether every node that this matches is matched by {@code other}. */
    boolean implies(PoolTerm other) {
        return labels.entrySet().containsAll(other.labels.entrySet());
    }

    /** As {@code matchExpressions}. */
    ArrayNode expressions() {
        var expressions = JsonNodeFactory.instance.arrayNode();
        labels.forEach((key, value) -> expressions.add(expression(key, "In", List.of(value))));
        return expressions;
    }

    static ObjectNode expression(String key, String operator, List<String> values) {
        var expression = JsonNodeFactory.instance.objectNode().put("key", key).put("operator", operator);
        values.forEach(expression.putArray("values")::add);
        return expression;
    }
}
