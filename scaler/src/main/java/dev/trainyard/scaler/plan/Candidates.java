package dev.trainyard.scaler.plan;

import dev.trainyard.core.Names;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The pools that may run a demand.
 *
 * @param fitting those on whose machines it fits, in the order in which they are to be asked
 * @param misfits pools of its tier on whose machines it does not fit, with the place in the tier's order that each would have had
 * @param none why there are none; empty when there are
 */
record Candidates(List<PoolView> fitting, List<Misfitting> misfits, Optional<Outcome.Unplaced> none) {

    /** @param before how many of the fitting pools are preferred to it */
    record Misfitting(int before, Refusal why) {}

    /** Why pools that are preferred to the fitting one at that place cannot be used at all. */
    List<Refusal> misfitsBefore(int place) {
        return misfits.stream()
                .filter(misfit -> misfit.before() <= place)
                .map(Misfitting::why)
                .toList();
    }

    static Candidates of(Demand demand, Snapshot snapshot) {
        var tierName = demand.shape().tier();
        if (tierName == null) {
            var fitting = snapshot.pools().values().stream()
                    .filter(pool -> fits(demand.shape(), pool.template()))
                    .filter(pool -> suits(demand.shape(), pool.template(), Optional.empty()))
                    .sorted(cheapest(demand))
                    .toList();
            return fitting.isEmpty()
                    ? refused(Explanations.fitsNoPool(
                            demand.shape(),
                            "any tier",
                            List.copyOf(snapshot.pools().values())))
                    : new Candidates(fitting, List.of(), Optional.empty());
        }
        var tier = snapshot.catalogue().tiers().get(tierName);
        if (tier == null) {
            return refused(Explanations.noSuchTier(
                    tierName, snapshot.catalogue().tiers().keySet()));
        }
        var pools = tier.pools().stream()
                .map(Pool::name)
                .filter(snapshot.pools()::containsKey)
                .map(snapshot.pools()::get)
                .toList();
        var fitting = new ArrayList<PoolView>();
        var misfits = new ArrayList<Misfitting>();
        for (var pool : pools) {
            if (fits(demand.shape(), pool.template())) {
                fitting.add(pool);
            } else {
                misfits.add(new Misfitting(fitting.size(), Explanations.doesNotFit(demand.shape(), pool)));
            }
        }
        return fitting.isEmpty()
                ? refused(Explanations.fitsNoPool(demand.shape(), "tier " + tierName, pools))
                : new Candidates(fitting, misfits, Optional.empty());
    }

    private static Candidates refused(Outcome.Unplaced why) {
        return new Candidates(List.of(), List.of(), Optional.of(why));
    }

    private static boolean fits(PodShape pod, NodeShape machine) {
        return Fit.checkEmpty(pod, machine).isEmpty();
    }

    /** Machines with GPUs are for pods that ask for GPUs, unless the pod's own tier says otherwise: the extender's rule too. */
    static boolean suits(PodShape pod, NodeShape machine, Optional<Tier> tier) {
        return pod.gpus() > 0
                || machine.allocatable().gpus() == 0
                || tier.map(t -> t.pools().stream()
                                .anyMatch(pool ->
                                        pool.name().equals(machine.labels().get(Names.POOL))))
                        .orElse(false);
    }

    /** What all the demand's pods would cost, pools without a price last; then fewest GPUs lying idle; then by name. */
    private static Comparator<PoolView> cheapest(Demand demand) {
        return Comparator.<PoolView, Boolean>comparing(
                        pool -> cost(demand, pool).isEmpty())
                .thenComparing(pool -> cost(demand, pool).orElse(BigDecimal.ZERO))
                .thenComparingLong(pool ->
                        machines(demand, pool) * pool.template().allocatable().gpus())
                .thenComparing(PoolView::name);
    }

    private static Optional<BigDecimal> cost(Demand demand, PoolView pool) {
        return pool.pool().hourlyPrice().map(price -> price.multiply(BigDecimal.valueOf(machines(demand, pool))));
    }

    private static long machines(Demand demand, PoolView pool) {
        long each = pool.template().allocatable().timesHolding(demand.shape().requests());
        return (demand.pods().size() + each - 1) / each;
    }
}
