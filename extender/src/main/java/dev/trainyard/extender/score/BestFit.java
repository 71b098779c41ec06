package dev.trainyard.extender.score;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.extender.node.NodeRecord;
import dev.trainyard.extender.pod.TieredPod;

/**
 * The tier's preferred pool, there the node with the fewest GPUs left, and among those the fullest. Keeps whole machines free for
 * pods that need many GPUs, and lets the scaler remove idle ones.
 */
public final class BestFit implements ScorePolicy {

    @Override
    public ScoreKey key(TieredPod pod, NodeRecord node) {
        long gpusLeft = node.free().gpus() - pod.shape().gpus();
        double leftover = (shareLeft(ResourceNames.CPU, pod, node) + shareLeft(ResourceNames.MEMORY, pod, node)) / 2;
        return new ScoreKey(pod.preference(node.pool()), gpusLeft, leftover);
    }

    private static double shareLeft(String resource, TieredPod pod, NodeRecord node) {
        long all = node.shape().allocatable().get(resource);
        long left = node.free().get(resource) - pod.shape().requests().get(resource);
        return all == 0 ? 0 : (double) left / all;
    }
}
