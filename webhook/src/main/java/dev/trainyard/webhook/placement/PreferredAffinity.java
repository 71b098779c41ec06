package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.webhook.patch.Draft;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * The preference for nodes of a tier's earlier pools. No node is excluded.
 *
 * <p>The scheduler adds up the weights of all terms that a node matches. A node may match the terms of several pools, so the weights halve
 * from pool to pool. With up to seven pools, each weight is above the sum of all later weights. In addition, a pool's term excludes the
 * later pools whose nodes have all labels of the pool.
 */
final class PreferredAffinity {

    private static final JsonPointer PREFERRED =
            JsonPointer.compile("/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution");

    /** The highest weight that the API allows. */
    private static final int FIRST_WEIGHT = 100;

    private PreferredAffinity() {}

    /** @param pools the pools in order of preference */
    static void complete(Draft pod, List<Pool> pools) {
        if (pools.size() < 2) {
            return;
        }
        int weight = FIRST_WEIGHT;
        for (int index = 0; index < pools.size(); index++) {
            var term = term(weight, pools.get(index), pools.subList(index + 1, pools.size()));
            if (!contains(pod.at(PREFERRED), term)) {
                pod.append(PREFERRED, term);
            }
            weight = Math.max(1, weight / 2);
        }
    }

    private static ObjectNode term(int weight, Pool pool, List<Pool> later) {
        var own = PoolTerm.of(pool);
        var expressions = own.expressions();
        var lookalikes = later.stream()
                .filter(other -> PoolTerm.of(other).implies(own))
                .map(Pool::name)
                .toList();
        if (!lookalikes.isEmpty()) {
            expressions.add(PoolTerm.expression(Names.POOL, "NotIn", lookalikes));
        }
        var term = JsonNodeFactory.instance.objectNode().put("weight", weight);
        term.putObject("preference").set("matchExpressions", expressions);
        return term;
    }

    private static boolean contains(JsonNode list, JsonNode term) {
        return StreamSupport.stream(list.spliterator(), false).anyMatch(term::equals);
    }
}
