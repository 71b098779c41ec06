package dev.trainyard.extender.filter;

import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.TieredPod;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Refuses nodes for what the scheduler's own filters cannot express. Pure.
 *
 * <p>Resources are not judged here: NodeResourcesFit does that before we are asked, with a cache that also knows the pods being bound
 * just now. What the index says of a node's resources may only be older. For the same reason a pod that requests GPUs is not kept from a
 * node that reports none: the scheduler has seen them by then. Only a pod that shares GPUs, which the scheduler does not count, is.
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
    public Verdicts judge(TieredPod pod, List<String> names, Function<String, @Nullable NodeState> index) {
        var judged = new IdentityHashMap<NodeState, Optional<Refusal>>();
        var passed = new ArrayList<String>(names.size());
        var lastResort = new ArrayList<String>();
        var refused = new LinkedHashMap<String, Refusal>();
        for (var name : names) {
            var node = index.apply(name);
            var refusal = node == null
                    ? null
                    : judged.computeIfAbsent(node, state -> refusal(pod, state)).orElse(null);
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

    /**
     * Why the pod may not have this node; empty when it may. With {@link CpuPodsOnGpuNodes#LAST} a node that is
     * {@link Refusal#KEPT_FOR_GPU_PODS} may still be had, when there is no other.
     */
    public Optional<Refusal> refusal(TieredPod pod, NodeState node) {
        if (node.removing()) {
            return Optional.of(Refusal.REMOVING);
        }
        if (node.pool() != null && pod.isBarredFrom(node.pool())) {
            return Optional.of(Refusal.OUTSIDE_TIER);
        }
        var mismatch = pod.facts().shape().wish().mismatch(node.kind());
        if (mismatch.isPresent()) {
            return mismatch.map(Refusal::of);
        }
        if (node.lacksPromisedGpus()
                && !pod.requestsGpus()
                && !pod.facts().gpus().isNone()) {
            return Optional.of(Refusal.GPUS_NOT_REPORTED);
        }
        return isKeptFromIt(pod, node) ? Optional.of(Refusal.KEPT_FOR_GPU_PODS) : Optional.empty();
    }

    private boolean isKeptFromIt(TieredPod pod, NodeState node) {
        return cpuPods != CpuPodsOnGpuNodes.ALWAYS
                && !pod.requestsGpus()
                && node.isGpuNode()
                && !pod.isFor(node.pool());
    }
}
