package dev.trainyard.extender.score;

import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodClass;

/** The node with the most of its GPUs left, and among those the emptiest: for pods that disturb their neighbours. */
public final class Spread implements ScorePolicy {

    @Override
    public Rating rate(PodClass pod, NodeState node) {
        return new Rating(pod.gpus().total() - node.gpus().total(), -Leftover.ofCpuAndMemory(pod, node));
    }
}
