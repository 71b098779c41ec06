package dev.trainyard.extender.score;

import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodClass;

/** What a pod would leave of a node. */
final class Leftover {

    private Leftover() {}

    /** As a share of all that the node has, 0 to 1; below zero where the index is behind and the pod does not fit any more. */
    static double ofCpuAndMemory(PodClass pod, NodeState node) {
        return (share(node.freeCpu() - pod.cpu(), node.cpu()) + share(node.freeMemory() - pod.memory(), node.memory()))
                / 2;
    }

    private static double share(long left, long all) {
        return all == 0 ? 0 : (double) left / all;
    }
}
