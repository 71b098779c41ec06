package dev.trainyard.extender.nudge;

import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.Refusal;
import dev.trainyard.extender.node.Look;
import dev.trainyard.extender.pod.TieredPod;

/**
 * Whether a pod for which there is no other node may have this one. For such a pod, a node that is kept for GPU pods is as good as any
 * where CPU pods get those last. Pure.
 */
public record Reach(Filter filter) {

    boolean mayHave(TieredPod pod, Look node) {
        var refusal = filter.refusal(pod, node);
        return refusal.isEmpty() || (pod.hasLastResort() && refusal.get() == Refusal.KEPT_FOR_GPU_PODS);
    }
}
