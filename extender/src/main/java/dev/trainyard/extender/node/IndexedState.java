package dev.trainyard.extender.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.extender.gpu.GpuRoom;
import org.jspecify.annotations.Nullable;

/**
 * All node data that a request needs, computed in advance. The node's name is left out, so that nodes with equal data share one object, and
 * a result for one node is valid for all of them.
 *
 * @param cpu allocatable CPU, in thousandths of a core
 * @param freeCpu the part of {@code cpu} that the node's pods leave. Unlike in the scheduler's own count, pods that are being bound are not
 *     subtracted yet. Negative on an overcommitted machine
 * @param memory allocatable memory, in bytes
 * @param gpus the free parts of the node's GPUs
 */
public record IndexedState(NodeProfile look, long cpu, long freeCpu, long memory, long freeMemory, GpuRoom gpus) {

    public @Nullable Pool pool() {
        return look.pool();
    }

    public GpuKind kind() {
        return look.kind();
    }

    /** Returns a hash of the members that differ most among nodes. */
    @Override
    public int hashCode() {
        return (int) (31 * (31 * freeCpu + freeMemory) + gpus.hashCode());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof IndexedState that && isEqual(that));
    }

    private boolean isEqual(IndexedState that) {
        return freeCpu == that.freeCpu
                && freeMemory == that.freeMemory
                && cpu == that.cpu
                && memory == that.memory
                && gpus.equals(that.gpus)
                && look.equals(that.look);
    }
}
