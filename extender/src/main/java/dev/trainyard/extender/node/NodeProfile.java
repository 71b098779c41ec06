package dev.trainyard.extender.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a node's state that the filter uses. It seldom changes, because it does not include free resources; the filter leaves those
 * to the scheduler. Thousands of nodes have a few different profiles, and nodes with equal profiles share one object.
 *
 * @param pool the pool that the node belongs to; null if none
 * @param removing whether the scaler is removing the machine
 * @param outOfService set if a notice on the node keeps new pods off it, now or at a time; otherwise null
 * @param kind the kind of the node's GPUs, from the node's labels, or else from the promise of the pool
 * @param reportsGpus whether the node's allocatable resources include GPUs
 * @param unlabelled set if the node has just joined and its pool is unknown until the scaler labels the node; otherwise null
 */
public record NodeProfile(
        @Nullable Pool pool,
        boolean removing,
        @Nullable OutOfService outOfService,
        GpuKind kind,
        boolean reportsGpus,
        @Nullable Unlabelled unlabelled) {

    /**
     * The time in which no pod is placed on a node because of a notice.
     *
     * @param sick whether the machine is broken; otherwise the cloud reclaims it
     * @param until when the notice stops counting, unless the machine has gone by then
     */
    public record OutOfService(boolean sick, Instant from, Instant until) {

        /** Whether no pod is placed on the node now. */
        public boolean isNow(Instant now) {
            return !now.isBefore(from) && now.isBefore(until);
        }
    }

    /**
     * A node that the scaler may be about to label.
     *
     * @param pools names of the pools that the node may belong to
     * @param until the time by which the scaler labels the node, if the node belongs to a pool. A node without a pool label at this time is
     *     treated as a node of no pool
     */
    public record Unlabelled(Set<String> pools, Instant until) {}

    /** Creates the profile of a node that stays and whose pool is known. A null {@code pool} means that the node belongs to no pool. */
    public NodeProfile(@Nullable Pool pool, boolean removing, GpuKind kind, boolean reportsGpus) {
        this(pool, removing, null, kind, reportsGpus, null);
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
