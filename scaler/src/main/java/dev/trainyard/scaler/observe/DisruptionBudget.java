package dev.trainyard.scaler.observe;

import java.util.Set;

/**
 * The evictions that a PodDisruptionBudget allows now.
 *
 * @param pods the UIDs of the protected pods that have a node
 * @param allowed how many of the protected pods may be evicted now; 0 until Kubernetes has computed the number
 */
public record DisruptionBudget(String namespace, String name, Set<String> pods, int allowed) {

    public DisruptionBudget {
        pods = Set.copyOf(pods);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
