package dev.trainyard.extender.nudge;

import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.Refusal;
import dev.trainyard.extender.node.Look;
import dev.trainyard.extender.pod.TieredPod;

/**
 * A check whether a pod may use a node if there is no other. A node that is kept for GPU pods then counts for CPU pods that have it as a
 * last resort. Pure.
 */
public record Reach(Filter filter) {

    boolean mayHave(TieredPod pod, Look node) {
        var refusal = filter.refusal(pod, node);
        return refusal.isEmpty() || (pod.hasLastResort() && refusal.get() == Refusal.KEPT_FOR_GPU_PODS);
    }
}
