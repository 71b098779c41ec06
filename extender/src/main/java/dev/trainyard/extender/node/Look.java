package dev.trainyard.extender.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All of a node's state that the filter looks at. Nodes change all the time in what is free on them, which the filter leaves to the
 * scheduler, and seldom in this; and thousands of them have a few looks. An index gives equal ones as the same object.
 *
 * @param pool that its machine belongs to; null when none
 * @param removing whether the scaler is taking the machine away
 * @param kind of its GPUs: what its labels say, else what its pool promises
 * @param reportsGpus whether there are any among its allocatable resources
 * @param unlabelled a node that has just joined, and whose pool nobody can tell before the scaler labels it; null otherwise
 */
public record Look(
        @Nullable Pool pool,
        boolean removing,
        GpuKind kind,
        boolean reportsGpus,
        @Nullable Unlabelled unlabelled) {

    /**
     * A node that the scaler may be about to label.
     *
     * @param pools names of those that it may be of
     * @param until after that it is of none: the scaler labels the nodes of its pools in the round in which it first sees them
     */
    public record Unlabelled(Set<String> pools, Instant until) {}

    /** One that is of this pool, or, without one, of none. */
    public Look(@Nullable Pool pool, boolean removing, GpuKind kind, boolean reportsGpus) {
        this(pool, removing, kind, reportsGpus, null);
    }

    /** Whether it has GPUs, or will have once its driver is up. */
    public boolean isOfGpuNode() {
        return reportsGpus || promisesGpus();
    }

    /** Whether its driver is not up: it reports none of the GPUs that its pool promises. */
    public boolean lacksPromisedGpus() {
        return !reportsGpus && promisesGpus();
    }

    private boolean promisesGpus() {
        return pool != null && pool.promisedGpus() > 0;
    }
}
