package dev.trainyard.scaler.observe;

import java.util.Set;

/**
 * What a PodDisruptionBudget allows now.
 *
 * @param pods the uids of the pods on nodes that it protects
 * @param allowed how many of them may be asked to leave; 0 while Kubernetes has not reckoned it
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
