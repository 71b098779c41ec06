package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;

/** The resources that a pod would leave on a node. */
final class Leftover {

    private Leftover() {}

    /** Returns the mean of the free shares of CPU and memory, 0 to 1. Negative if the index is stale and the pod no longer fits. */
    static double ofCpuAndMemory(PodClass pod, IndexedState node) {
        return (share(node.freeCpu() - pod.cpu(), node.cpu()) + share(node.freeMemory() - pod.memory(), node.memory()))
                / 2;
    }

    private static double share(long left, long all) {
        return all == 0 ? 0 : (double) left / all;
    }
}
