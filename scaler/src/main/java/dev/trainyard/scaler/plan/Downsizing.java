package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.TopologyProfile;
import dev.trainyard.scaler.plan.Bin.Load;
import dev.trainyard.scaler.plan.Bin.Origin;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last step of a planning pass, which replaces new machines that are larger than necessary by cheaper machines. A machine is replaced
 * only if none of its pods prefers one of the two pools.
 */
final class Downsizing {

    private final PlanningInput outlook;
    private final Supply supply;
    private final List<PoolRequest> purchases;
    /** By pool: the topology of a new machine. */
    private final Map<Integer, TopologyProfile> profiles = new HashMap<>();

    Downsizing(PlanningInput outlook, Supply supply, List<PoolRequest> purchases) {
        this.outlook = outlook;
        this.supply = supply;
        this.purchases = purchases;
    }

    void run() {
        for (int pool = 0; pool < purchases.size(); pool++) {
            var bins = supply.opened(pool);
            int size = bins.size();
            for (int slot = 0; slot < size; slot++) {
                var bin = bins.get(slot);
                if (bin != null && bin.origin == Origin.NEW) {
                    int cheaper = cheapest(bin, pool);
                    if (cheaper != pool) {
                        bins.set(slot, null);
                        purchases.get(pool).giveBack(bin.count);
                        purchases.get(cheaper).buy(bin.count);
                        supply.opened(cheaper)
                                .add(bin.moved(ResourceIndex.minus(outlook.empty(cheaper), taken(bin, pool), 1)));
                    }
                }
            }
        }
    }

    private int cheapest(Bin bin, int pool) {
        var taken = taken(bin, pool);
        int best = pool;
        for (int other = 0; other < outlook.pools().size(); other++) {
            if (outlook.cost(other) < outlook.cost(best)
                    && ResourceIndex.holds(outlook.empty(other), taken)
                    && bin.count <= purchases.get(other).room()
                    && outlook.refusal(other).isEmpty()
                    && allMayUse(bin.load, pool, other)
                    && (bin.site == null || isAlike(bin.load, pool, other))) {
                best = other;
            }
        }
        return best;
    }

    /**
     * Whether a machine of another pool satisfies the inter-pod constraints that a machine of {@code pool} satisfies. This is so if both
     * machines have equal values of all labels that a constraint refers to, and if these labels are known.
     */
    private boolean isAlike(@Nullable Load loads, int pool, int other) {
        var seating = outlook.seating().orElseThrow();
        for (var load = loads; load != null; load = load.before()) {
            if (seating.guessed(load.demand(), other).isPresent()) {
                return false;
            }
        }
        return profiles.computeIfAbsent(pool, seating::profile)
                .equals(profiles.computeIfAbsent(other, seating::profile));
    }

    private long[] taken(Bin bin, int pool) {
        return ResourceIndex.minus(outlook.empty(pool), bin.free, 1);
    }

    private boolean allMayUse(@Nullable Load loads, int pool, int other) {
        for (var load = loads; load != null; load = load.before()) {
            if (!outlook.candidates(load.demand()).areEqual(pool, other)
                    || outlook.exclusion(load.demand(), other).isPresent()
                    || outlook.aheadOfDeadline(load.demand(), other).isPresent()) {
                return false;
            }
        }
        return true;
    }
}
