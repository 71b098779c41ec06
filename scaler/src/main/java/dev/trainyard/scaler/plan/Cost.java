package dev.trainyard.scaler.plan;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.scaler.observe.PoolView;

/**
 * What machines cost, as one number to compare by. A pool without a price counts as dearer than any that has one, and among those without one
 * the size of the machine stands in for it, an idle GPU being the dearest waste.
 */
final class Cost {

    /** More than a year of any machine. */
    private static final double UNPRICED = 1e6;

    /** Of what a whole GPU machine without a price is taken to cost, for each of its GPUs. */
    private static final double PER_GPU = 1e3;

    /** Less than any price. */
    private static final double TIE = 1e-9;

    private static final double PER_CORE = 1;
    private static final double PER_GIBIBYTE = 0.1;
    private static final double MILLI = 1e-3;
    private static final double GIBI = 1.0 / (1L << 30);

    private Cost() {}

    /** Of one machine for an hour. Of equal prices that of fewer GPUs is less: those are the ones that would lie idle. */
    static double of(PoolView pool) {
        var machine = pool.template().allocatable();
        return TIE * machine.gpus()
                + pool.pool()
                        .hourlyPrice()
                        .map(price -> price.doubleValue())
                        .orElseGet(() -> UNPRICED
                                + PER_GPU * machine.gpus()
                                + PER_CORE * MILLI * machine.get(ResourceNames.CPU)
                                + PER_GIBIBYTE * GIBI * machine.get(ResourceNames.MEMORY));
    }

    /** Of one pod, where others take what it leaves of its machine. */
    static double share(Demand demand, int pool, Outlook outlook) {
        return of(outlook.pool(pool)) * Axes.dominantShare(demand.request(), outlook.empty(pool));
    }

    /** Of that many pods, where nobody takes what they leave. */
    static double alone(Demand demand, int pods, int pool, Outlook outlook) {
        return of(outlook.pool(pool)) * machines(demand, pods, outlook.empty(pool));
    }

    /** How many machines that many pods need. */
    static int machines(Demand demand, int pods, long[] empty) {
        long each = Axes.times(empty, demand.request());
        return (int) (pods / each + (pods % each > 0 ? 1 : 0));
    }
}
