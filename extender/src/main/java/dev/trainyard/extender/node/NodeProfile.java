package dev.trainyard.extender.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a node's state that the filter uses. It seldom changes, while free resources change all the time; the filter leaves those to
 * the scheduler. Thousands of nodes have a few looks, and an index uses one object for equal looks.
 *
 * @param pool the pool of its machine; null if none
 * @param removing whether the scaler is removing the machine
 * @param kind the kind of its GPUs, from its labels, or else from the promise of its pool
 * @param reportsGpus whether GPUs are among its allocatable resources
 * @param unlabelled set if the node has just joined and its pool is unknown before the scaler labels it; otherwise null
 */
public record NodeProfile(
        @Nullable Pool pool,
        boolean removing,
        GpuKind kind,
        boolean reportsGpus,
        @Nullable Unlabelled unlabelled) {

    /**
     * A node that the scaler may be about to label.
     *
     * @param pools names of the pools that it may belong to
     * @param until the time after which a node without a label belongs to no pool: the scaler labels nodes in the round that first sees them
     */
    public record Unlabelled(Set<String> pools, Instant until) {}

    /** Creates the look of a node of this pool; null means that it belongs to no pool. */
    public NodeProfile(@Nullable Pool pool, boolean removing, GpuKind kind, boolean reportsGpus) {
        this(pool, removing, kind, reportsGpus, null);
    }

    /** Whether the node has GPUs, or will have them once its driver runs. */
    public boolean isOfGpuNode() {
        return reportsGpus || promisesGpus();
    }

    /** Whether the driver does not run yet: the node reports none of the GPUs that its pool promises. */
    public boolean lacksPromisedGpus() {
        return !reportsGpus && promisesGpus();
    }

    private boolean promisesGpus() {
        return pool != null && pool.promisedGpus() > 0;
    }
}
