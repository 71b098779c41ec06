package dev.trainyard.extender.node;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.extender.gpu.GpuRoom;
import org.jspecify.annotations.Nullable;

/**
 * All that a request asks of a node, worked out beforehand. It has no name: an index gives equal nodes the same object, so that what was
 * worked out for one of them serves all.
 *
 * @param cpu allocatable, in thousandths of a core
 * @param freeCpu what the pods on it leave; behind the scheduler's own count by the pods that it is binding now, and below zero on a
 *     machine with more pods than it should have
 * @param memory allocatable, in bytes
 * @param gpus what is left of them
 */
public record NodeState(Look look, long cpu, long freeCpu, long memory, long freeMemory, GpuRoom gpus) {

    public @Nullable Pool pool() {
        return look.pool();
    }

    public GpuKind kind() {
        return look.kind();
    }

    /** Of what differs most among nodes. */
    @Override
    public int hashCode() {
        return (int) (31 * (31 * freeCpu + freeMemory) + gpus.hashCode());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || (other instanceof NodeState that && isEqual(that));
    }

    private boolean isEqual(NodeState that) {
        return freeCpu == that.freeCpu
                && freeMemory == that.freeMemory
                && cpu == that.cpu
                && memory == that.memory
                && gpus.equals(that.gpus)
                && look.equals(that.look);
    }
}
