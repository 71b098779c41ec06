package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.List;

/** What a {@link Snapshot} is made of, as the API server has it. */
public record KubernetesObjects(
        List<Pod> pods, List<Node> nodes, List<DaemonSet> daemonSets, List<PodDisruptionBudget> budgets) {

    public KubernetesObjects {
        pods = List.copyOf(pods);
        nodes = List.copyOf(nodes);
        daemonSets = List.copyOf(daemonSets);
        budgets = List.copyOf(budgets);
    }
}
