package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Site;
import org.jspecify.annotations.Nullable;

/**
 * Machines that are equal and have the same pods planned onto them: filling a thousand new machines with equal pods is one step. Immutable.
 */
final class Bin {

    /** Where machines come from. */
    enum Origin {
        /** A node that pods can be bound to, at once or when the scaler takes back its cordon. */
        NODE,
        /** A machine that has been asked for. */
        UPCOMING,
        /** A machine that this plan asks for in any case, for the pool's minimum. */
        MINIMUM,
        /** A machine that this plan asks for because pods need it. */
        NEW
    }

    /** On each of the machines, {@code pods} of that demand, and what was planned onto them before. */
    record Load(Demand demand, int pods, @Nullable Load before) {}

    final Origin origin;
    /** The name of the node, when there is one; else empty. */
    final String node;

    final int count;
    /** What is left in each. */
    final long[] free;

    final @Nullable Load load;
    /** Where it is to pods that other pods have a say in; null where none of them has been put on it. */
    final @Nullable Site site;

    private Bin(Origin origin, String node, int count, long[] free, @Nullable Load load, @Nullable Site site) {
        this.origin = origin;
        this.node = node;
        this.count = count;
        this.free = free;
        this.load = load;
        this.site = site;
    }

    static Bin node(Origin origin, String name, long[] free) {
        return new Bin(origin, name, 1, free, null, null);
    }

    static Bin machines(Origin origin, int count, long[] free) {
        return new Bin(origin, "", count, free, null, null);
    }

    Bin withCount(int changed) {
        return new Bin(origin, node, changed, free, load, site);
    }

    /** So many of them, each with that many pods more. */
    Bin filled(int machines, Demand demand, int pods) {
        return new Bin(
                origin, node, machines, Axes.minus(free, demand.request(), pods), new Load(demand, pods, load), site);
    }

    /** The same pods on machines that have {@code free} left. */
    Bin moved(long[] free) {
        return new Bin(origin, node, count, free, load, site);
    }

    /** One of them, which is there. */
    Bin at(Site where) {
        return new Bin(origin, node, 1, free, load, where);
    }
}
