package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;

/**
 * A policy that prefers the node with the least GPUs left, and among equal nodes the node with the least CPU and memory left. It keeps
 * whole machines free for pods that need many GPUs, and lets the scaler remove idle machines.
 */
public final class Pack implements ScorePolicy {

    @Override
    public Rating rate(PodClass pod, IndexedState node) {
        var left = node.gpus().after(pod.gpus());
        return left == null ? Rating.NO_ROOM : new Rating(left.total(), Leftover.ofCpuAndMemory(pod, node));
    }
}
