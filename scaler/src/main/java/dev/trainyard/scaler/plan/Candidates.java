package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.PoolView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The pools that may run the pods of a {@link Demand}. A pool is identified by its index in {@link PlanningInput#pools}.
 *
 * @param fitting the pools whose machines fit the pods, in the order in which machines are requested. If the pods have a tier, this is the
 *     tier's order. Otherwise the pools are sorted by the cost of one pod. Pods that would be late otherwise have spot pools last
 * @param equal whether the pools differ only in cost, since the pods have no tier and would not be late; has no meaning if no pool fits
 * @param misfits the pools of the tier whose machines do not fit
 * @param none why no pool fits; empty if a pool fits
 */
record Candidates(int[] fitting, boolean equal, List<Misfitting> misfits, Optional<Outcome.Unplaced> none) {

    /**
     * A pool whose machines do not fit.
     *
     * @param before how many fitting pools precede this pool in the tier's order
     */
    record Misfitting(int before, Refusal why) {}

    /**
     * Returns why the pools that precede a fitting pool in the tier's order do not fit.
     *
     * @param place the index of the fitting pool in {@link #fitting}
     */
    List<Refusal> misfitsBefore(int place) {
        return misfits.stream()
                .filter(misfit -> misfit.before() <= place)
                .map(Misfitting::why)
                .toList();
    }

    static Candidates of(Demand demand, PlanningInput outlook) {
        return demand.tier().map(tier -> ofTier(tier, demand, outlook)).orElseGet(() -> ofAnyPool(demand, outlook));
    }

    private static Candidates ofAnyPool(Demand demand, PlanningInput outlook) {
        var fitting = IntStream.range(0, outlook.pools().size())
                .filter(pool -> fits(demand, pool, outlook))
                .boxed()
                .sorted(Comparator.<Integer>comparingDouble(pool -> MachineCost.share(demand, pool, outlook))
                        .thenComparing(Comparator.naturalOrder()))
                .mapToInt(pool -> pool)
                .toArray();
        return fitting.length == 0
                ? refused(Explanations.fitsNoPool(demand.shape(), "any tier", outlook.pools()))
                : new Candidates(fitting, true, List.of(), Optional.empty());
    }

    private static Candidates ofTier(String name, Demand demand, PlanningInput outlook) {
        var tiers = outlook.snapshot().catalogue().tiers();
        if (!tiers.containsKey(name)) {
            return refused(Explanations.noSuchTier(name, tiers.keySet()));
        }
        var pools = outlook.tierOrder(demand).stream()
                .map(outlook::number)
                .filter(Objects::nonNull)
                .sorted(Comparator.comparing(pool -> outlook.isDeferred(demand, pool)))
                .toList();
        var fitting = new ArrayList<Integer>();
        var misfits = new ArrayList<Misfitting>();
        for (int pool : pools) {
            if (fits(demand, pool, outlook)) {
                fitting.add(pool);
            } else {
                misfits.add(
                        new Misfitting(fitting.size(), Explanations.doesNotFit(demand.shape(), outlook.pool(pool))));
            }
        }
        if (fitting.isEmpty()) {
            List<PoolView> views = pools.stream().map(outlook::pool).toList();
            return refused(Explanations.fitsNoPool(demand.shape(), "tier " + name, views));
        }
        return new Candidates(fitting.stream().mapToInt(pool -> pool).toArray(), false, misfits, Optional.empty());
    }

    private static Candidates refused(Outcome.Unplaced why) {
        return new Candidates(new int[0], true, List.of(), Optional.of(why));
    }

    private static boolean fits(Demand demand, int pool, PlanningInput outlook) {
        return outlook.mayUse(demand, pool) && ResourceIndex.holds(outlook.empty(pool), demand.request());
    }
}
