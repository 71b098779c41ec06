package dev.trainyard.extender.filter;

import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.extender.filter.Verdicts.Refused;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.pod.TieredPod;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * A filter that refuses nodes for reasons that the scheduler's own filters cannot express. Pure, except for the clock.
 *
 * <p>This filter does not check resources. The scheduler's NodeResourcesFit has checked them before, with newer data than our index: its
 * cache includes pods that are being bound. For the same reason, a pod that requests GPUs may use a node that reports no GPUs in our index:
 * the scheduler has seen the GPUs. A pod that shares GPUs may not use such a node, because the scheduler does not count shares.
 */
public final class Filter {

    private final InstantSource clock;

    /** @param clock decides whether a node is so new that the label of its pool may still be missing */
    public Filter(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Judges nodes for a pod. A node that the index does not know passes, because the scheduler knows it and no reason against it is known.
     */
    public Verdicts judge(TieredPod pod, List<IndexedNode> nodes) {
        var passed = new ArrayList<IndexedNode>(nodes.size());
        var refused = new ArrayList<Refused>();
        var passing = passing(pod, refused);
        for (var node : nodes) {
            var state = node.state();
            if (state == null || passing.test(node, state.look())) {
                passed.add(node);
            }
        }
        return passed.isEmpty() && pod.hasLastResort() ? withLastResort(refused) : new Verdicts(passed, refused);
    }

    /**
     * Returns a check whether the pod may use a node, for one pass over the known nodes of a request. The check ignores the last resort.
     *
     * @param refused receives the nodes that the check refuses
     */
    public BiPredicate<IndexedNode, NodeProfile> passing(TieredPod pod, List<Refused> refused) {
        var judged = new IdentityHashMap<NodeProfile, Optional<FilterRefusal>>();
        return (node, profile) -> {
            var refusal = refusal(pod, profile, judged);
            refusal.ifPresent(why -> refused.add(new Refused(node, why)));
            return refusal.isEmpty();
        };
    }

    private Optional<FilterRefusal> refusal(
            TieredPod pod, NodeProfile profile, Map<NodeProfile, Optional<FilterRefusal>> judged) {
        var known = judged.get(profile);
        if (known == null) {
            known = refusal(pod, profile);
            judged.put(profile, known);
        }
        return known;
    }

    private static Verdicts withLastResort(List<Refused> refused) {
        return new Verdicts(
                refused.stream()
                        .filter(node -> node.why() == FilterRefusal.KEPT_FOR_GPU_PODS)
                        .map(Refused::node)
                        .toList(),
                refused.stream()
                        .filter(node -> node.why() != FilterRefusal.KEPT_FOR_GPU_PODS)
                        .toList());
    }

    /**
     * Returns why the pod may not use a node with this profile; empty if the pod may use it. If there is no other node, a pod that
     * {@linkplain TieredPod#hasLastResort() has a last resort} may still use a node that is {@link FilterRefusal#KEPT_FOR_GPU_PODS}.
     */
    public Optional<FilterRefusal> refusal(TieredPod pod, NodeProfile node) {
        if (node.removing()) {
            return Optional.of(FilterRefusal.REMOVING);
        }
        var outOfService = node.outOfService();
        if (outOfService != null && outOfService.isNow(clock.instant())) {
            return Optional.of(outOfService.sick() ? FilterRefusal.SICK : FilterRefusal.RECLAIM_ANNOUNCED);
        }
        var access = pod.access(node.pool(), node.reportsGpus());
        if (access == Access.OUTSIDE_TIER) {
            return Optional.of(FilterRefusal.OUTSIDE_TIER);
        }
        var unlabelled = node.unlabelled();
        if (unlabelled != null
                && clock.instant().isBefore(unlabelled.until())
                && pod.mayBeOutside(unlabelled.pools())) {
            return Optional.of(FilterRefusal.NOT_LABELLED);
        }
        var mismatch = pod.facts().shape().wish().mismatch(node.kind());
        if (mismatch.isPresent()) {
            return mismatch.map(FilterRefusal::of);
        }
        if (node.lacksPromisedGpus()
                && !pod.requestsGpus()
                && !pod.facts().gpus().isNone()) {
            return Optional.of(FilterRefusal.GPUS_NOT_REPORTED);
        }
        return access == Access.ALLOWED ? Optional.empty() : Optional.of(FilterRefusal.KEPT_FOR_GPU_PODS);
    }
}
