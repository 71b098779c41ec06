package dev.trainyard.scaler.observe;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The evictions that a PodDisruptionBudget allows now.
 *
 * @param pods the UIDs of the protected pods that have a node
 * @param unguarded the UIDs of those protected pods that may be evicted whatever {@code allowed} says, and whose eviction does not reduce
 *     it: they are not Ready, and {@code unhealthyPodEvictionPolicy} lets them go
 * @param allowed how many of the other protected pods may be evicted now; 0 until Kubernetes has computed the number
 */
public record DisruptionBudget(String namespace, String name, Set<String> pods, Set<String> unguarded, int allowed) {

    public DisruptionBudget {
        pods = Set.copyOf(pods);
        unguarded = Set.copyOf(unguarded);
    }

    /** Whether the eviction of the pod needs one of the allowed evictions. */
    public boolean guards(String uid) {
        return pods.contains(uid) && !unguarded.contains(uid);
    }

    /**
     * Returns the UIDs of the pods whose eviction the API server refuses now. It also refuses to evict a pod with several budgets, whatever
     * they allow.
     */
    public static Set<String> refused(Collection<DisruptionBudget> budgets) {
        var refused = new HashSet<String>();
        var protectedPods = new HashSet<String>();
        for (var budget : budgets) {
            for (var pod : budget.pods()) {
                if (!protectedPods.add(pod) || (budget.allowed() < 1 && budget.guards(pod))) {
                    refused.add(pod);
                }
            }
        }
        return refused;
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
