package dev.trainyard.scaler.plan;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.scaler.observe.PoolView;
import java.time.Instant;

/**
 * The expected cost of machines, as one number for comparisons; costs in reports and metrics are prices only. A pool without a price
 * counts as more expensive than any pool with a price. Pools without a price are compared by the size of their machines, in which GPUs weigh
 * most, since idle GPUs waste the most money.
 */
final class MachineCost {

    /** The base of the assumed hourly cost of a machine without a price. The base alone is more than any machine costs in a year. */
    private static final double UNPRICED = 1e6;

    /** The assumed additional cost of each GPU of a machine without a price. */
    private static final double PER_GPU = 1e3;

    /** The additional cost of each GPU. It is smaller than any difference between prices, so it decides only between equal prices. */
    private static final double TIE = 1e-9;

    private static final double PER_CORE = 1;
    private static final double PER_GIBIBYTE = 0.1;
    private static final double MILLI = 1e-3;
    private static final double GIBI = 1.0 / (1L << 30);

    private MachineCost() {}

    /**
     * Returns the expected cost of one useful hour of a machine: the cost of an hour, plus that of the time that reclaims and failed launches
     * are expected to cost. If prices are equal, the machine with fewer GPUs costs less, since fewer GPUs can be idle.
     */
    static double of(PoolView pool, Instant now) {
        var machine = pool.template().allocatable();
        double useful = 1 + pool.lostShare(now) + pool.ratingShare();
        return TIE * machine.gpus()
                + pool.pool()
                        .hourlyPrice()
                        .map(price -> price.doubleValue() * useful)
                        .orElseGet(() -> UNPRICED
                                + useful
                                        * (PER_GPU * machine.gpus()
                                                + PER_CORE * MILLI * machine.get(ResourceNames.CPU)
                                                + PER_GIBIBYTE * GIBI * machine.get(ResourceNames.MEMORY)));
    }

    /** Returns the cost of one pod for an hour if other pods use the rest of its machine. */
    static double share(Demand demand, int pool, PlanningInput outlook) {
        return outlook.cost(pool) * ResourceIndex.dominantShare(demand.request(), outlook.empty(pool));
    }

    /** Returns the cost of the pods for an hour if no other pods use the rest of their machines. */
    static double alone(Demand demand, int pods, int pool, PlanningInput outlook) {
        return outlook.cost(pool) * machines(demand, pods, outlook.empty(pool));
    }

    /** Returns how many machines the pods need. */
    static int machines(Demand demand, int pods, long[] empty) {
        long each = ResourceIndex.times(empty, demand.request());
        return (int) (pods / each + (pods % each > 0 ? 1 : 0));
    }
}
