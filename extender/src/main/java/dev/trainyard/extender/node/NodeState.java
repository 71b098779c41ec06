package dev.trainyard.extender.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.extender.gpu.GpuRoom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * All that a request asks of a node, worked out beforehand. It has no name: an index gives equal nodes the same object, so that what was
 * worked out for one of them serves all.
 *
 * @param pool that its machine belongs to; null when none
 * @param removing whether the scaler is taking the machine away
 * @param kind of its GPUs: what its labels say, else what its pool promises
 * @param reportedGpus among its allocatable resources
 * @param cpu allocatable, in thousandths of a core
 * @param freeCpu what the pods on it leave; behind the scheduler's own count by the pods that it is binding now, and below zero on a
 *     machine with more pods than it should have
 * @param memory allocatable, in bytes
 * @param gpus what is left of them
 */
public record NodeState(
        @Nullable Pool pool,
        boolean removing,
        GpuKind kind,
        long reportedGpus,
        long cpu,
        long freeCpu,
        long memory,
        long freeMemory,
        GpuRoom gpus) {

    public long promisedGpus() {
        return pool == null ? 0 : pool.promisedGpus();
    }

    /** Whether it has GPUs, or will have once its driver is up. */
    public boolean isGpuNode() {
        return reportedGpus > 0 || promisedGpus() > 0;
    }

    /** Whether its driver is not up: it reports none of the GPUs that its pool promises. */
    public boolean lacksPromisedGpus() {
        return reportedGpus == 0 && promisedGpus() > 0;
    }

    /** Of what differs most among nodes: states are looked up for every node of every request. */
    @Override
    public int hashCode() {
        return (int) (31 * (31 * freeCpu + freeMemory) + gpus.hashCode());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof NodeState that && isEqual(that);
    }

    private boolean isEqual(NodeState that) {
        return freeCpu == that.freeCpu
                && freeMemory == that.freeMemory
                && cpu == that.cpu
                && memory == that.memory
                && removing == that.removing
                && reportedGpus == that.reportedGpus
                && gpus.equals(that.gpus)
                && kind.equals(that.kind)
                && Objects.equals(pool, that.pool);
    }
}
