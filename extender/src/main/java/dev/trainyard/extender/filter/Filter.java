package dev.trainyard.extender.filter;

import dev.trainyard.extender.node.NodeRecord;
import dev.trainyard.extender.pod.TieredPod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Refuses nodes for what the scheduler's own filters cannot express. Pure.
 *
 * <p>Resources are not judged here, and neither is whether a new machine shows its GPUs yet: NodeResourcesFit does both before we are
 * asked, with a cache that also knows the pods being bound just now. What the index says of a node's resources may only be older,
 * and a refusal for an old reason would last: the event that should bring the pod back has been used up by then.
 */
public final class Filter {

    private final CpuPodsOnGpuNodes cpuPods;

    public Filter(CpuPodsOnGpuNodes cpuPods) {
        this.cpuPods = cpuPods;
    }

    /**
     * @param index what is known of a node; null for one that is not known yet, which passes: the scheduler has seen it and we have
     *     nothing against it
     */
    public Verdicts judge(TieredPod pod, List<String> names, Function<String, @Nullable NodeRecord> index) {
        var passed = new ArrayList<String>();
        var lastResort = new ArrayList<String>();
        var refused = new LinkedHashMap<String, Refusal>();
        for (var name : names) {
            var node = index.apply(name);
            var refusal = node == null ? null : refusal(pod, node);
            if (refusal == null) {
                passed.add(name);
            } else {
                refused.put(name, refusal);
                if (refusal == Refusal.KEPT_FOR_GPU_PODS) {
                    lastResort.add(name);
                }
            }
        }
        if (passed.isEmpty() && cpuPods == CpuPodsOnGpuNodes.LAST) {
            passed.addAll(lastResort);
            lastResort.forEach(refused::remove);
        }
        return new Verdicts(passed, refused);
    }

    private @Nullable Refusal refusal(TieredPod pod, NodeRecord node) {
        if (node.removing()) {
            return Refusal.REMOVING;
        }
        if (node.pool().map(pod::isBarredFrom).orElse(false)) {
            return Refusal.OUTSIDE_TIER;
        }
        return isKeptFromIt(pod, node) ? Refusal.KEPT_FOR_GPU_PODS : null;
    }

    private boolean isKeptFromIt(TieredPod pod, NodeRecord node) {
        return cpuPods != CpuPodsOnGpuNodes.ALWAYS
                && !pod.asksForGpus()
                && node.isGpuNode()
                && !node.pool().map(pod::isFor).orElse(false);
    }
}
