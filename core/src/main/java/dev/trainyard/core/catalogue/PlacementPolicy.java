package dev.trainyard.core.catalogue;

import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import java.util.Map;
import java.util.Optional;

/**
 * The policy that decides which nodes a pod may use. The decision depends on the tier of the pod and on whether the pod requests GPUs. The
 * extender, the planner and consolidation all use this policy. {@link dev.trainyard.core.fit.Fit} applies Kubernetes' own rules (selectors,
 * taints, resources). Immutable.
 *
 * <p>A pod whose tier does not exist is treated as a pod without a tier. A pod whose required affinity names its node, such as a
 * DaemonSet's pod, can run on no other node. Such a pod may use its node even if the node has GPUs.
 */
public final class PlacementPolicy {

    /** The decision whether a pod may use a node. */
    public enum Access {
        /** The pod may use the node. */
        ALLOWED,
        /** The pod may use the node if no other node fits. */
        LAST_RESORT,
        /** Refused: the pod requests no GPU, and the node has GPUs. */
        KEPT_FOR_GPU_PODS,
        /** Refused: the node belongs to a pool that the pod's tier does not name. */
        OUTSIDE_TIER;

        /** Whether the pod may use the node, possibly only as a last resort. */
        public boolean isPossible() {
            return this == ALLOWED || this == LAST_RESORT;
        }
    }

    private final Map<String, Tier> tiers;
    private final CpuPodsOnGpuNodes cpuPods;

    PlacementPolicy(Map<String, Tier> tiers, CpuPodsOnGpuNodes cpuPods) {
        this.tiers = tiers;
        this.cpuPods = cpuPods;
    }

    /** Whether pods that request no GPU may use GPU nodes as a last resort. */
    public boolean hasLastResort() {
        return cpuPods == CpuPodsOnGpuNodes.LAST;
    }

    /**
     * Decides whether a pod may use a node, or a new machine of a pool.
     *
     * @param pool the pool that the node belongs to, from {@link Catalogue#poolOf}; empty if it belongs to none
     */
    public Access access(PodShape pod, Optional<Pool> pool, NodeShape node) {
        return access(pod, pool, node.allocatable().gpus() > 0);
    }

    /**
     * Decides whether a pod may use a node.
     *
     * @param pool the pool that the node belongs to, from {@link Catalogue#poolOf}; empty if it belongs to none
     * @param reportsGpus whether the node reports GPUs. A node whose pool promises GPUs counts as a GPU node even if it reports none,
     *     because its driver may not have started yet
     */
    public Access access(PodShape pod, Optional<Pool> pool, boolean reportsGpus) {
        var tier = Optional.ofNullable(pod.tier()).map(tiers::get);
        boolean named = tier.isPresent() && pool.isPresent() && names(tier.get(), pool.get());
        if (tier.isPresent() && pool.isPresent() && !named) {
            return Access.OUTSIDE_TIER;
        }
        boolean hasGpus = reportsGpus || pool.filter(p -> p.promisedGpus() > 0).isPresent();
        if (pod.gpus() > 0 || !hasGpus || named || pod.namesItsNode()) {
            return Access.ALLOWED;
        }
        return switch (cpuPods) {
            case NEVER -> Access.KEPT_FOR_GPU_PODS;
            case LAST -> Access.LAST_RESORT;
            case ALWAYS -> Access.ALLOWED;
        };
    }

    /** Whether the tier names the pool. Names are compared, because the pool may come from an older version of the configuration. */
    private static boolean names(Tier tier, Pool pool) {
        return tier.pools().stream().anyMatch(named -> named.name().equals(pool.name()));
    }
}
