package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;

/**
 * A policy that prefers the node with the least of its GPUs left, and among those the fullest. It keeps whole machines free for pods that
 * need many GPUs, and lets the scaler remove idle ones.
 */
public final class Pack implements ScorePolicy {

    @Override
    public Rating rate(PodClass pod, IndexedState node) {
        var left = node.gpus().after(pod.gpus());
        return left == null ? Rating.NO_ROOM : new Rating(left.total(), Leftover.ofCpuAndMemory(pod, node));
    }
}
