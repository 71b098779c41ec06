package dev.trainyard.scaler.observe;

import dev.trainyard.core.gang.GangObjects;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The objects that a {@link Snapshot} is made from, as the API server holds them.
 *
 * @param namespaceLabels returns the labels of a namespace; empty if the namespace is unknown or not listed yet
 * @param gangObjects the objects that describe gangs
 */
public record KubernetesObjects(
        List<Pod> pods,
        List<Node> nodes,
        List<DaemonSet> daemonSets,
        List<PodDisruptionBudget> budgets,
        Function<String, Optional<Map<String, String>>> namespaceLabels,
        GangObjects gangObjects) {

    /** Creates the objects; the labels of all namespaces are unknown, and no objects that describe gangs. */
    public KubernetesObjects(
            List<Pod> pods, List<Node> nodes, List<DaemonSet> daemonSets, List<PodDisruptionBudget> budgets) {
        this(pods, nodes, daemonSets, budgets, namespace -> Optional.empty(), GangObjects.NONE);
    }

    public KubernetesObjects {
        pods = List.copyOf(pods);
        nodes = List.copyOf(nodes);
        daemonSets = List.copyOf(daemonSets);
        budgets = List.copyOf(budgets);
    }
}
