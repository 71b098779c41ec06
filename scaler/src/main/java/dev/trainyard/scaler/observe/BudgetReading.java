package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.Selector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A reader of the evictions that a PodDisruptionBudget allows. */
final class BudgetReading {

    private BudgetReading() {}

    /**
     * @param pods the pods of all namespaces; the budget protects only pods of its own namespace that match its selector
     * @throws RuntimeException if the budget is malformed
     */
    static DisruptionBudget read(PodDisruptionBudget budget, Collection<Pod> pods) {
        var selector = Selector.of(budget.getSpec().getSelector());
        var allowed = Optional.ofNullable(budget.getStatus()).map(status -> status.getDisruptionsAllowed());
        return over(budget, pods.stream().filter(pod -> selector.matches(labels(pod))), allowed.orElse(0));
    }

    /** Returns the strictest reading of a budget: it protects all pods of its namespace and allows no eviction. */
    static DisruptionBudget strictest(PodDisruptionBudget budget, Collection<Pod> pods) {
        return over(budget, pods.stream(), 0);
    }

    private static DisruptionBudget over(PodDisruptionBudget budget, Stream<Pod> pods, int allowed) {
        var metadata = budget.getMetadata();
        var covered = pods.filter(
                        pod -> metadata.getNamespace().equals(pod.getMetadata().getNamespace()))
                .map(pod -> String.valueOf(pod.getMetadata().getUid()))
                .collect(Collectors.toSet());
        return new DisruptionBudget(metadata.getNamespace(), metadata.getName(), covered, allowed);
    }

    private static Map<String, String> labels(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
    }
}
