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
 *     tier's order. Equally preferred pools, and all pools of pods without a tier, are sorted by the cost of one pod. Pods that would be
 *     late otherwise have spot pools last
 * @param ranks the rank of each pool in {@code fitting}. Pools of one rank differ only in cost
 * @param misfits the pools of the tier whose machines do not fit
 * @param none why no pool fits; empty if a pool fits
 */
record Candidates(int[] fitting, int[] ranks, List<Misfitting> misfits, Optional<Outcome.Unplaced> none) {

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

    /** Whether cost decides between at least two pools. */
    boolean mayChoose() {
        for (int place = 1; place < ranks.length; place++) {
            if (ranks[place] == ranks[place - 1]) {
                return true;
            }
        }
        return false;
    }

    /** Whether the pools fit and only cost decides between them. */
    boolean areEqual(int pool, int other) {
        int place = place(pool);
        int otherPlace = place(other);
        return place >= 0 && otherPlace >= 0 && ranks[place] == ranks[otherPlace];
    }

    private int place(int pool) {
        for (int place = 0; place < fitting.length; place++) {
            if (fitting[place] == pool) {
                return place;
            }
        }
        return -1;
    }

    /** Returns the fitting pools in another order, in which the ranks stay in order. */
    int[] sortedWithinRanks(Comparator<Integer> order) {
        return IntStream.range(0, fitting.length)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(place -> ranks[place])
                        .thenComparing(place -> fitting[place], order.thenComparing(Comparator.naturalOrder())))
                .mapToInt(place -> fitting[place])
                .toArray();
    }

    static Candidates of(Demand demand, PlanningInput outlook) {
        var gang = demand.gang();
        if (gang != null && gang.isUnread()) {
            // The pods keep free nodes, which would be removed otherwise, but get no new machine.
            return refused(Gangs.unread(gang));
        }
        return demand.tier().map(tier -> ofTier(tier, demand, outlook)).orElseGet(() -> ofAnyPool(demand, outlook));
    }

    private static Candidates ofAnyPool(Demand demand, PlanningInput outlook) {
        var fitting = IntStream.range(0, outlook.pools().size())
                .filter(pool -> fits(demand, pool, outlook))
                .boxed()
                .sorted(byShare(demand, outlook))
                .mapToInt(pool -> pool)
                .toArray();
        return fitting.length == 0
                ? refused(Explanations.fitsNoPool(demand.shape(), "any tier", outlook.pools()))
                : new Candidates(fitting, new int[fitting.length], List.of(), Optional.empty());
    }

    private static Comparator<Integer> byShare(Demand demand, PlanningInput outlook) {
        return Comparator.<Integer>comparingDouble(pool -> MachineCost.share(demand, pool, outlook))
                .thenComparing(Comparator.naturalOrder());
    }

    private static Candidates ofTier(String name, Demand demand, PlanningInput outlook) {
        var tier = outlook.snapshot().catalogue().tiers().get(name);
        if (tier == null) {
            return refused(Explanations.noSuchTier(
                    name, outlook.snapshot().catalogue().tiers().keySet()));
        }
        var pools = tier.pools().stream()
                .map(pool -> outlook.number(pool.name()))
                .filter(Objects::nonNull)
                .sorted(Comparator.<Integer, Boolean>comparing(pool -> outlook.isDeferred(demand, pool))
                        .thenComparing(pool -> tier.rank(outlook.pool(pool).name()))
                        .thenComparing(byShare(demand, outlook)))
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
        // Deferred pools come after all others, also after pools of the same rank.
        var ranks = fitting.stream()
                .mapToInt(pool -> tier.rank(outlook.pool(pool).name())
                        + (outlook.isDeferred(demand, pool) ? tier.pools().size() : 0))
                .toArray();
        return new Candidates(fitting.stream().mapToInt(pool -> pool).toArray(), ranks, misfits, Optional.empty());
    }

    private static Candidates refused(Outcome.Unplaced why) {
        return new Candidates(new int[0], new int[0], List.of(), Optional.of(why));
    }

    private static boolean fits(Demand demand, int pool, PlanningInput outlook) {
        return outlook.mayUse(demand, pool) && ResourceIndex.holds(outlook.empty(pool), demand.request());
    }
}
