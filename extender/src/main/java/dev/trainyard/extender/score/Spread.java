package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.pod.PodClass;

/**
 * A policy that prefers the node with the most GPUs left, and among equal nodes the node with the most CPU and memory left. It suits pods
 * that disturb their neighbours.
 */
public final class Spread implements ScorePolicy {

    @Override
    public Rating rate(PodClass pod, IndexedState node) {
        var left = node.gpus().after(pod.gpus());
        return left == null ? Rating.NO_ROOM : new Rating(-left.total(), -Leftover.ofCpuAndMemory(pod, node));
    }
}
