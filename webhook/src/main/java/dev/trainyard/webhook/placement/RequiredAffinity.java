package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.NodeTerm;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.webhook.patch.Draft;
import java.util.List;
import java.util.Map;

/**
 * The restriction of a pod to the nodes of some pools.
 *
 * <p>A pod's {@code nodeSelectorTerms} are alternatives, so an additional term would widen the choice. Instead, each term of the pod is
 * combined with each pool. A term that already allows only nodes of the pools is left unchanged, so a second pass changes nothing. A term
 * that no pool can satisfy is removed, if another term remains.
 */
final class RequiredAffinity {

    private static final JsonPointer REQUIRED =
            JsonPointer.compile("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
    private static final JsonPointer TERMS = REQUIRED.appendProperty("nodeSelectorTerms");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private RequiredAffinity() {}

    /** Returns the pools that the pod's own node selector and required affinity allow, judged by the labels that the pools promise. */
    static List<Pool> open(PodShape pod, List<Pool> pools) {
        return pools.stream()
                .filter(pool -> pod.mayRunOn(pool.promise().labels()))
                .toList();
    }

    /**
     * Returns the number of terms that {@link #complete} would make of the pod's own terms: at most their number times the number of pools.
     */
    static long alternatives(PodShape shape, List<Pool> pools, List<Pool> others) {
        var wanted = PoolTerm.anyOf(pools, others);
        return shape.nodeTerms().stream()
                .mapToLong(term -> staysAsItIs(term, shape, wanted)
                        ? 1
                        : wanted.stream()
                                .filter(pool -> isOpen(term, shape, pool))
                                .count())
                .sum();
    }

    /**
     * Restricts the pod to the nodes of {@code pools}.
     *
     * @param pools the result of {@link #open}; at least one
     * @param others other pools of the tier; their nodes are excluded, even if they have the labels of {@code pools}
     */
    static void complete(Draft pod, PodShape shape, List<Pool> pools, List<Pool> others) {
        var wanted = PoolTerm.anyOf(pools, others);
        if (wanted.stream().anyMatch(term -> implies(shape.nodeSelector(), List.of(), term))) {
            return;
        }
        var own = shape.nodeTerms();
        if (own.isEmpty()) {
            if (pod.at(REQUIRED).isMissingNode()) {
                var terms = NODES.arrayNode();
                wanted.forEach(term -> terms.addObject().set("matchExpressions", term.expressions()));
                pod.put(TERMS, terms);
            }
            // Otherwise the required affinity of the pod has no terms. The API server rejects such a pod, and the
            // webhook must not make it valid.
            return;
        }
        var terms = NODES.arrayNode();
        for (int index = 0; index < own.size(); index++) {
            narrow(pod.at(TERMS.appendIndex(index)), own.get(index), shape, wanted, terms);
        }
        pod.put(TERMS, terms);
    }

    private static void narrow(
            JsonNode json, NodeTerm term, PodShape shape, List<PoolTerm> wanted, ArrayNode narrowed) {
        if (staysAsItIs(term, shape, wanted)) {
            narrowed.add(json.deepCopy());
            return;
        }
        for (var pool : wanted) {
            if (isOpen(term, shape, pool)) {
                narrowed.add(and(json, term, pool));
            }
        }
    }

    private static boolean staysAsItIs(NodeTerm term, PodShape shape, List<PoolTerm> wanted) {
        boolean matchesNothing = term.labels().isEmpty() && term.fields().isEmpty();
        return matchesNothing || wanted.stream().anyMatch(pool -> implies(shape.nodeSelector(), term.labels(), pool));
    }

    private static boolean isOpen(NodeTerm term, PodShape shape, PoolTerm pool) {
        return term.mayMatch(pool.labels()) && shape.mayRunOn(pool.labels());
    }

    /** Returns the term {@code json}, completed with the requirements of the pool's term. */
    private static ObjectNode and(JsonNode json, NodeTerm term, PoolTerm pool) {
        var both = ((ObjectNode) json).deepCopy();
        var expressions = both.path("matchExpressions") instanceof ArrayNode present ? present : NODES.arrayNode();
        both.set("matchExpressions", expressions);
        pool.labels().forEach((key, value) -> {
            if (!demands(term.labels(), key, value)) {
                expressions.add(PoolTerm.expression(key, "In", List.of(value)));
            }
        });
        if (!leavesOut(term.labels(), pool.others())) {
            expressions.add(PoolTerm.expression(Names.POOL, "NotIn", pool.others()));
        }
        return both;
    }

    private static boolean implies(Map<String, String> selector, List<LabelRequirement> requirements, PoolTerm pool) {
        return pool.labels().entrySet().stream()
                        .allMatch(label -> label.getValue().equals(selector.get(label.getKey()))
                                || demands(requirements, label.getKey(), label.getValue()))
                && leavesOut(requirements, pool.others());
    }

    private static boolean leavesOut(List<LabelRequirement> requirements, List<String> pools) {
        return pools.isEmpty() || requirements.contains(new LabelRequirement(Names.POOL, "NotIn", pools));
    }

    private static boolean demands(List<LabelRequirement> requirements, String key, String value) {
        return requirements.contains(new LabelRequirement(key, "In", List.of(value)));
    }
}
