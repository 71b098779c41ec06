package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.PoolView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The pools that may run a demand, by their numbers in {@link PlanningInput#pools}.
 *
 * @param fitting the pools whose machines fit, in the order of requests. With a tier, this is the tier's order. Without a tier, the pools
 *     are sorted by the cost of one pod
 * @param equal whether the demand has no tier, so that the pools differ only in cost
 * @param misfits pools of the tier whose machines do not fit, with the pools' places in the tier's order
 * @param none why no pool fits; empty if a pool fits
 */
record Candidates(int[] fitting, boolean equal, List<Misfitting> misfits, Optional<Outcome.Unplaced> none) {

    /** @param before how many fitting pools precede this pool in the tier's order */
    record Misfitting(int before, Refusal why) {}

    /** Returns why pools that are preferred to the fitting pool at {@code place} cannot be used. */
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
