package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.webhook.placement.PoolTerm;
import dev.trainyard.webhook.placement.PreferredAffinity;
import dev.trainyard.webhook.placement.Tolerations;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The data of a tier's pools that placement needs. */
final class PoolData {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private PoolData() {}

    static ArrayNode of(Tier tier) {
        var pools = tier.pools();
        var list = NODES.arrayNode();
        for (int index = 0; index < pools.size(); index++) {
            var pool = pools.get(index);
            var term = PoolTerm.of(pool);
            var data = list.addObject()
                    .put("name", pool.name())
                    .put("index", index)
                    .put("rank", tier.rank(pool.name()));
            data.set("labels", texts(pool.promise().labels()));
            data.set("term", texts(term.labels()));
            data.set("expressions", term.expressions());
            data.set(
                    "coveredBy",
                    names(covering(pool, pools.subList(0, index), pools).map(Pool::name)));
            data.set("lookalikes", names(PreferredAffinity.lookalikes(pool, tier, pools).stream()));
            data.set("taints", taints(pool));
        }
        return list;
    }

    /**
     * Returns the pools whose terms make the term of {@code pool} redundant. Such a term demands fewer labels, or it demands the same
     * labels for an earlier pool.
     */
    private static Stream<Pool> covering(Pool pool, List<Pool> earlier, List<Pool> all) {
        var term = PoolTerm.of(pool);
        return all.stream().filter(other -> {
            var its = PoolTerm.of(other);
            return its.equals(term) ? earlier.contains(other) : term.implies(its);
        });
    }

    private static ArrayNode taints(Pool pool) {
        var list = NODES.arrayNode();
        pool.promise()
                .taints()
                .forEach(taint -> list.addObject()
                        .put("key", taint.key())
                        .put("value", taint.valueOrEmpty())
                        .put("effect", taint.effect())
                        .set("toleration", Tolerations.of(taint)));
        return list;
    }

    private static ObjectNode texts(Map<String, String> map) {
        var object = NODES.objectNode();
        map.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> object.put(entry.getKey(), entry.getValue()));
        return object;
    }

    private static ArrayNode names(Stream<String> pools) {
        var list = NODES.arrayNode();
        pools.forEach(list::add);
        return list;
    }
}
