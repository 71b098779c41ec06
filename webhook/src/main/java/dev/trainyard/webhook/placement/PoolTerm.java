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
 * The labels that identify a pool's nodes. They are the promised labels without {@link Names#POOL}, because nodes without that label belong
 * to the pool too. If the pool promises no other label, {@link Names#POOL} identifies its nodes.
 *
 * @param labels must not be changed
 * @param others names of pools whose nodes are excluded, because they may have these labels too. Only nodes with the label
 *     {@link Names#POOL} can be excluded
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
     * Returns terms that together match the nodes of all {@code pools}, except nodes of {@code others}. A redundant term is left out: it
     * demands all labels of another term, and more.
     */
    static List<PoolTerm> anyOf(List<Pool> pools, List<Pool> others) {
        var names = others.stream().map(Pool::name).sorted().toList();
        var terms = pools.stream().map(pool -> of(pool, names)).distinct().toList();
        return terms.stream()
                .filter(term -> terms.stream().noneMatch(other -> !other.equals(term) && term.implies(other)))
                .toList();
    }

    /** Whether every node with the labels of this term also has the labels of {@code other}. */
    public boolean implies(PoolTerm other) {
        return labels.entrySet().containsAll(other.labels.entrySet());
    }

    /** Returns the term as {@code matchExpressions}. */
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
