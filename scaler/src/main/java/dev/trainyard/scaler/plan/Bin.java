package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Site;
import org.jspecify.annotations.Nullable;

/**
 * A group of equal machines with equal pods planned onto each of them. Since the group is one object, a thousand new machines can be filled
 * in one step. Immutable.
 */
final class Bin {

    /** The origin of machines. */
    enum Origin {
        /** A node that accepts pods, either now or once the scaler removes its own cordon from the node. */
        NODE,
        /** A machine that was requested earlier and whose node is not usable yet. */
        UPCOMING,
        /** A machine that this plan requests to reach the pool's minimum. */
        MINIMUM,
        /** A machine that this plan requests for pods. */
        NEW
    }

    /**
     * The pods of one demand that are planned onto each machine of a bin.
     *
     * @param pods the number of pods on each machine
     * @param before the bin's load before these pods were planned; null if the bin had none
     */
    record Load(Demand demand, int pods, @Nullable Load before) {}

    final Origin origin;
    /** The name of the node; empty if the machines have no node. */
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

    /**
     * Returns a bin with some of this bin's machines, after pods are added to each of them.
     *
     * @param machines the number of machines in the new bin
     * @param pods the number of pods that are added to each machine
     */
    Bin filled(int machines, Demand demand, int pods) {
        return new Bin(
                origin,
                node,
                machines,
                ResourceIndex.minus(free, demand.request(), pods),
                new Load(demand, pods, load),
                site);
    }

    /**
     * Returns a bin with the same number of machines of another pool, and with the same pods.
     *
     * @param free the resources that stay free on each of these machines
     */
    Bin moved(long[] free) {
        return new Bin(origin, node, count, free, load, site);
    }

    /** Returns a bin with one of this bin's machines, at the given site. */
    Bin at(Site where) {
        return new Bin(origin, node, 1, free, load, where);
    }
}
