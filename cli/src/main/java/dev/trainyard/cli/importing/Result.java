package dev.trainyard.cli.importing;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.SharedResources;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.Definition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The pools and tiers that can be applied, and the pools that must be fixed first.
 *
 * @param tiers the tiers by name
 */
public record Result(List<ImportedPool> pools, List<Unusable> unusable, Map<String, TrainingTierSpec> tiers) {

    private static final ObjectMapper JSON = new ObjectMapper();

    public Result {
        pools = List.copyOf(pools);
        unusable = List.copyOf(unusable);
    }

    /**
     * A pool that was checked.
     *
     * @param origin the kind and name of the source object
     */
    public record ImportedPool(String name, String origin, TrainingPoolSpec spec) {}

    /** A pool that cannot be used, with its problem. */
    public record Unusable(ImportedPool pool, String problem) {}

    /** Gives the pools valid names, checks them, and builds tiers of the usable pools. */
    static Result of(Imported imported, ImportRemarks remarks) {
        var names = new HashSet<String>();
        var usable = new LinkedHashMap<String, PoolDraft>();
        var pools = new ArrayList<ImportedPool>();
        var unusable = new ArrayList<Unusable>();
        for (var draft : imported.pools()) {
            var name = ObjectNames.unique(draft.name, names);
            var pool = new ImportedPool(name, draft.origin, draft.spec());
            if (!name.equals(draft.name)) {
                remarks.add(draft.place, draft.name, "the TrainingPool is called " + name);
            }
            try {
                Pool.of(name, pool.spec());
                requireDefined(pool);
                draft.requireASize();
                requireApart(pool, pools);
                pools.add(pool);
                usable.put(name, draft);
            } catch (IllegalArgumentException e) {
                remarks.add(draft.place, draft.name, "written only as a comment; fix this problem: " + e.getMessage());
                unusable.add(new Unusable(pool, String.valueOf(e.getMessage())));
            }
        }
        return new Result(pools, unusable, Tiers.of(usable, imported.driver(), remarks));
    }

    /** Fails if the API server would refuse the pool. */
    private static void requireDefined(ImportedPool pool) {
        var object = JSON.createObjectNode();
        object.putObject("metadata").put("name", pool.name());
        object.set("spec", JSON.valueToTree(pool.spec()));
        var problems = Definition.ofKind("TrainingPool").orElseThrow().problems(object);
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** Fails if another pool has the same machines, because Trainyard would use neither pool. A file may list a group twice. */
    private static void requireApart(ImportedPool pool, List<ImportedPool> others) {
        for (var other : others) {
            SharedResources.shared(pool.spec().provider(), other.spec().provider())
                    .ifPresent(what -> {
                        throw new IllegalArgumentException(
                                "spec.provider.%s names machines that TrainingPool '%s' has as well"
                                        .formatted(what, other.name()));
                    });
        }
    }
}
