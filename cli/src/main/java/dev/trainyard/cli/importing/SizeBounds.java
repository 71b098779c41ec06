package dev.trainyard.cli.importing;

import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.core.pool.Pool;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The minimum and maximum sizes of pools, from the cluster-autoscaler add-on in an {@link EngineDefinition}. Later versions of the add-on
 * have bounds for each pool; earlier versions have one pair of bounds for all scale sets. A pool that an enabled add-on does not scale
 * keeps its size. Without an enabled add-on, pools get Trainyard's default bounds.
 */
final class SizeBounds {

    private final TrackedObject addon;
    private final Map<String, TrackedObject> byPool = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    private SizeBounds(TrackedObject addon, List<TrackedObject> pools) {
        this.addon = addon;
        for (var pool : pools) {
            pool.text("name").ifPresent(name -> byPool.put(name, pool));
        }
    }

    static SizeBounds of(TrackedObject addon) {
        addon.passOver("name", "enabled", "containers", "mode", "data");
        return new SizeBounds(addon, addon.sections("pools"));
    }

    void set(PoolDraft draft, TrackedObject profile, boolean scaleSet) {
        int count = profile.number("count").orElse(1);
        if (!addon.flag("enabled").orElse(false)) {
            withoutAutoscaler(draft, profile, count);
        } else if (!scaleSet || (!byPool.isEmpty() && !byPool.containsKey(draft.name))) {
            profile.remark(
                    "count",
                    "the autoscaler did not manage this pool, so the pool keeps its size; change spec.min and spec.max to "
                            + "let the pool grow and shrink");
            draft.between(count, count);
        } else {
            var config =
                    byPool.containsKey(draft.name) ? byPool.get(draft.name).section("config") : addon.section("config");
            int min = config.number("min-nodes").orElse(count);
            draft.between(min, config.number("max-nodes").orElse(Math.max(min, count)));
        }
        if (scaleSet) {
            limit(draft, profile);
        }
    }

    private static void withoutAutoscaler(PoolDraft draft, TrackedObject profile, int count) {
        int min = draft.hasGpus() ? 0 : 1;
        draft.between(min, Pool.DEFAULT_MAX);
        if (count != min) {
            profile.remark(
                    "count",
                    "the initial size of the pool; spec.min is %d, %s"
                            .formatted(
                                    min,
                                    draft.hasGpus()
                                            ? "because all GPU machines may be removed while no training runs"
                                            : "so that the cluster's own pods have a node"));
        }
    }

    /** Whether the scale set of the profile has one placement group, which is the default. */
    static boolean onePlacementGroup(TrackedObject profile) {
        return profile.flag("singlePlacementGroup").orElse(true);
    }

    private static void limit(PoolDraft draft, TrackedObject profile) {
        boolean one = onePlacementGroup(profile);
        int most = one ? AzureScaleSet.MOST_IN_ONE_GROUP : AzureScaleSet.MOST;
        if (draft.max() > most) {
            profile.remark(
                    "singlePlacementGroup",
                    "a scale set with %s has at most %d machines: spec.max is %d, not %d"
                            .formatted(
                                    one ? "one placement group" : "several placement groups", most, most, draft.max()));
            draft.most(most);
        }
    }
}
