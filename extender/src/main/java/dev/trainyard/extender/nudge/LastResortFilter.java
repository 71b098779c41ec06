package dev.trainyard.extender.nudge;

import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.pod.TieredPod;

/**
 * A check whether a pod may use a node if no other node is left. A node that is kept for GPU pods counts as usable if the placement policy
 * allows such nodes as a last resort. Pure.
 */
public record LastResortFilter(Filter filter) {

    boolean mayHave(TieredPod pod, NodeProfile node) {
        var refusal = filter.refusal(pod, node);
        return refusal.isEmpty() || (pod.hasLastResort() && refusal.get() == FilterRefusal.KEPT_FOR_GPU_PODS);
    }
}
