package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Site;
import org.jspecify.annotations.Nullable;

/**
 * A group of equal machines, each with equal pods planned onto it. So filling a thousand new machines with equal pods is one step.
 * Immutable.
 */
final class Bin {

    /** The origin of machines. */
    enum Origin {
        /** A node that accepts pods, either now or once the scaler removes its own cordon from the node. */
        NODE,
        /** A provisioning machine. */
        UPCOMING,
        /** A machine that this plan requests for the pool's minimum. */
        MINIMUM,
        /** A machine that this plan requests for pods. */
        NEW
    }

    /** The pods of one demand on each machine of the bin, linked to the load that was planned before. */
    record Load(Demand demand, int pods, @Nullable Load before) {}

    final Origin origin;
    /** The name of the node; empty if there is none. */
    final String node;

    final int count;
    /** The free resources of each machine. */
    final long[] free;

    final @Nullable Load load;
    /** The machine's place in the topology, for inter-pod constraints; null if no pod with such constraints is planned onto the machine. */
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

    /** Returns a bin of {@code machines} of this bin's machines, each with {@code pods} more pods. */
    Bin filled(int machines, Demand demand, int pods) {
        return new Bin(
                origin,
                node,
                machines,
                ResourceIndex.minus(free, demand.request(), pods),
                new Load(demand, pods, load),
                site);
    }

    /** Returns a bin with the same pods on machines of another pool, which have {@code free} left. */
    Bin moved(long[] free) {
        return new Bin(origin, node, count, free, load, site);
    }

    /** Returns a bin of one of this bin's machines, at the given site. */
    Bin at(Site where) {
        return new Bin(origin, node, 1, free, load, where);
    }
}
