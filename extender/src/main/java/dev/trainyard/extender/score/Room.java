package dev.trainyard.extender.score;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.gpu.GpuRoom;
import dev.trainyard.extender.node.IndexedState;

/**
 * The free resources of a node.
 *
 * @param cpu free CPU, in thousandths of a core
 * @param memory free memory, in bytes
 */
record Room(GpuKind kind, long cpu, long memory, GpuRoom gpus) {

    static Room of(IndexedState node) {
        return new Room(node.kind(), Math.max(0, node.freeCpu()), Math.max(0, node.freeMemory()), node.gpus());
    }
}
