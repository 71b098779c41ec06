package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The labels that tell a pool's nodes. They are those that the pool promises, without {@link Names#POOL}: machines that nobody labelled
 * with it belong to the pool too. Only a pool that promises nothing else is told by that label.
 *
 * @param labels not to be changed
 * @param others names of pools whose nodes are left out, as far as these are labelled, though they may have these labels
 */
public record PoolTerm(SortedMap<String, String> labels, List<String> others) {

    public static PoolTerm of(Pool pool) {
        return of(pool, List.of());
    }

    private static PoolTerm of(Pool pool, List<String> others) {
        return pool.ownLabels().isEmpty()
                ? new PoolTerm(new TreeMap<>(Map.of(Names.POOL, pool.name())), List.of())
                : new PoolTerm(pool.ownLabels(), others);
    }

    /**
     * Terms that together match what the terms of all {@code pools} match, but for nodes of {@code others}: one that demands all that
     * another demands, and more, adds nothing.
     */
    static List<PoolTerm> anyOf(List<Pool> pools, List<Pool> others) {
        var names = others.stream().map(Pool::name).sorted().toList();
        var terms = pools.stream().map(pool -> of(pool, names)).distinct().toList();
        return terms.stream()
                .filter(term -> terms.stream().noneMatch(other -> !other.equals(term) && term.implies(other)))
                .toList();
    }

    /** Whether every node that has this one's labels has those of {@code other}. */
    public boolean implies(PoolTerm other) {
        return labels.entrySet().containsAll(other.labels.entrySet());
    }

    /** As {@code matchExpressions}. */
    public ArrayNode expressions() {
        var expressions = JsonNodeFactory.instance.arrayNode();
        labels.forEach((key, value) -> expressions.add(expression(key, "In", List.of(value))));
        if (!others.isEmpty()) {
            expressions.add(expression(Names.POOL, "NotIn", others));
        }
        return expressions;
    }

    static ObjectNode expression(String key, String operator, List<String> values) {
        var expression = JsonNodeFactory.instance.objectNode().put("key", key).put("operator", operator);
        values.forEach(expression.putArray("values")::add);
        return expression;
    }
}
