package dev.trainyard.extender.nudge;

import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.pod.TieredPod;

/**
 * A check whether a pod may use a node if there is no other. A node that is kept for GPU pods then counts for CPU pods that have it as a
 * last resort. Pure.
 */
public record LastResortFilter(Filter filter) {

    boolean mayHave(TieredPod pod, NodeProfile node) {
        var refusal = filter.refusal(pod, node);
        return refusal.isEmpty() || (pod.hasLastResort() && refusal.get() == FilterRefusal.KEPT_FOR_GPU_PODS);
    }
}
