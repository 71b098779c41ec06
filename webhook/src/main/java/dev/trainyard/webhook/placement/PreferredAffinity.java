package dev.trainyard.webhook.placement;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.patch.Draft;
import java.util.List;
import java.util.stream.StreamSupport;

/**
 * The preference for nodes of a tier's earlier pools. No node is excluded.
 *
 * <p>The scheduler adds up the weights of all terms that a node matches. A node may match the terms of several pools, so the weights halve
 * from rank to rank. With up to seven ranks, each weight is above the sum of all later weights. In addition, a pool's term excludes the
 * pools of the same or a later rank whose nodes have all labels of the pool.
 */
public final class PreferredAffinity {

    private static final JsonPointer PREFERRED =
            JsonPointer.compile("/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution");

    /** The highest weight that the API allows. */
    private static final int FIRST_WEIGHT = 100;

    private PreferredAffinity() {}

    /** @param pools pools of the tier in order of preference, at least one */
    static void complete(Draft pod, Tier tier, List<Pool> pools) {
        int weight = FIRST_WEIGHT;
        int rank = tier.rank(pools.get(0).name());
        if (rank == tier.rank(pools.get(pools.size() - 1).name())) {
            return;
        }
        for (var pool : pools) {
            int next = tier.rank(pool.name());
            if (next > rank) {
                weight = Math.max(1, weight / 2);
                rank = next;
            }
            var term = term(weight, pool, lookalikes(pool, tier, pools));
            if (!contains(pod.at(PREFERRED), term)) {
                pod.append(PREFERRED, term);
            }
        }
    }

    /** Returns those of {@code pools} whose nodes have all labels of {@code pool}, but must not be preferred like the nodes of {@code pool}. */
    public static List<String> lookalikes(Pool pool, Tier tier, List<Pool> pools) {
        return pools.stream()
                .filter(other -> !other.equals(pool) && tier.rank(other.name()) >= tier.rank(pool.name()))
                .filter(other -> PoolTerm.of(other).implies(PoolTerm.of(pool)))
                .map(Pool::name)
                .toList();
    }

    private static ObjectNode term(int weight, Pool pool, List<String> lookalikes) {
        var expressions = PoolTerm.of(pool).expressions();
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
