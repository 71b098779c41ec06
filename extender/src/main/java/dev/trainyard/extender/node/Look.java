package dev.trainyard.extender.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import org.jspecify.annotations.Nullable;

/**
 * All of a node's state that the filter looks at. Nodes change all the time in what is free on them, which the filter leaves to the
 * scheduler, and seldom in this; and thousands of them have a few looks. An index gives equal ones as the same object.
 *
 * @param pool that its machine belongs to; null when none
 * @param removing whether the scaler is taking the machine away
 * @param kind of its GPUs: what its labels say, else what its pool promises
 * @param reportsGpus whether there are any among its allocatable resources
 */
public record Look(@Nullable Pool pool, boolean removing, GpuKind kind, boolean reportsGpus) {

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
