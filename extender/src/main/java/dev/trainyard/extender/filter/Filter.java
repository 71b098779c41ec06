package dev.trainyard.extender.filter;

import dev.trainyard.extender.node.NodeRecord;
import dev.trainyard.extender.pod.TieredPod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Refuses nodes for what the scheduler's own filters cannot express. Whether there is room is not judged here: the scheduler's
 * NodeResourcesFit counts, and knows of the pods that it is binding just now. Pure.
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
        if (isKeptFromIt(pod, node)) {
            return Refusal.KEPT_FOR_GPU_PODS;
        }
        return lacksPromisedGpus(pod, node) ? Refusal.GPU_NOT_REPORTED : null;
    }

    private boolean isKeptFromIt(TieredPod pod, NodeRecord node) {
        return cpuPods != CpuPodsOnGpuNodes.ALWAYS
                && !pod.asksForGpus()
                && node.isGpuNode()
                && !node.pool().map(pod::isFor).orElse(false);
    }

    /** The promise would do, what is reported does not: the driver or its device plugin is still starting. */
    private static boolean lacksPromisedGpus(TieredPod pod, NodeRecord node) {
        long missing = Math.min(pod.shape().gpus(), node.promisedGpus());
        return node.reportedGpus() < missing;
    }
}
