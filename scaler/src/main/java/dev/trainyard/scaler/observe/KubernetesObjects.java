package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a {@link Snapshot} is made of, as the API server has it.
 *
 * @param namespaceLabels by namespace; empty for one that is not known (yet)
 */
public record KubernetesObjects(
        List<Pod> pods,
        List<Node> nodes,
        List<DaemonSet> daemonSets,
        List<PodDisruptionBudget> budgets,
        Function<String, Optional<Map<String, String>>> namespaceLabels) {

    /** With namespaces of which nothing is known. */
    public KubernetesObjects(
            List<Pod> pods, List<Node> nodes, List<DaemonSet> daemonSets, List<PodDisruptionBudget> budgets) {
        this(pods, nodes, daemonSets, budgets, namespace -> Optional.empty());
    }

    public KubernetesObjects {
        pods = List.copyOf(pods);
        nodes = List.copyOf(nodes);
        daemonSets = List.copyOf(daemonSets);
        budgets = List.copyOf(budgets);
    }
}
