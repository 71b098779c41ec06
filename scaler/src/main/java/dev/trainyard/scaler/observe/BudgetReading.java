package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.Selector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
        var covered = pods.stream()
                .filter(pod -> isIn(budget, pod) && selector.matches(labels(pod)))
                .toList();
        var unguarded = covered.stream().filter(pod -> letsUnhealthyGo(budget) && !PodReading.isReady(pod));
        return new DisruptionBudget(
                budget.getMetadata().getNamespace(),
                budget.getMetadata().getName(),
                uids(covered.stream()),
                uids(unguarded),
                allowed.orElse(0));
    }

    /** Returns the strictest reading of a budget: it protects all pods of its namespace and allows no eviction. */
    static DisruptionBudget strictest(PodDisruptionBudget budget, Collection<Pod> pods) {
        return new DisruptionBudget(
                budget.getMetadata().getNamespace(),
                budget.getMetadata().getName(),
                uids(pods.stream().filter(pod -> isIn(budget, pod))),
                Set.of(),
                0);
    }

    /**
     * Whether the API server evicts pods that are not Ready without counting them: always with {@code AlwaysAllow}. Else it does so while the
     * budget's Ready pods are enough, and never if the budget needs none (Kubernetes, {@code pkg/registry/core/pod/storage/eviction.go}).
     */
    private static boolean letsUnhealthyGo(PodDisruptionBudget budget) {
        var status = budget.getStatus();
        int desired = status == null ? 0 : Objects.requireNonNullElse(status.getDesiredHealthy(), 0);
        return "AlwaysAllow".equals(budget.getSpec().getUnhealthyPodEvictionPolicy())
                || (desired > 0 && Objects.requireNonNullElse(status.getCurrentHealthy(), 0) >= desired);
    }

    private static boolean isIn(PodDisruptionBudget budget, Pod pod) {
        return budget.getMetadata().getNamespace().equals(pod.getMetadata().getNamespace());
    }

    private static Set<String> uids(Stream<Pod> pods) {
        return pods.map(pod -> String.valueOf(pod.getMetadata().getUid())).collect(Collectors.toSet());
    }

    private static Map<String, String> labels(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
    }
}
