package dev.trainyard.scaler.offline;

import dev.trainyard.core.pod.Selector;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.scaler.observe.PodReading;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The PodDisruptionBudgets from files. A budget without a status gets the status that the disruption controller would set. Only pods from
 * the files are counted, including pods that {@link Workloads} creates. Percentages are rounded up, as in {@code pkg/controller/disruption}
 * of {@code kubernetes/kubernetes}.
 */
final class OfflineBudgets {

    private OfflineBudgets() {}

    static List<PodDisruptionBudget> of(ResourceFiles files, Collection<Pod> pods, PlanRemarks remarks) {
        return files.ofKind(PodDisruptionBudget.class, remarks::broken).stream()
                .map(budget -> complete(budget, pods, remarks))
                .toList();
    }

    private static PodDisruptionBudget complete(PodDisruptionBudget budget, Collection<Pod> pods, PlanRemarks remarks) {
        boolean told = budget.getStatus() != null && budget.getStatus().getDisruptionsAllowed() != null;
        if (told || budget.getSpec() == null) {
            return budget;
        }
        try {
            return new PodDisruptionBudgetBuilder(budget)
                    .editOrNewStatus()
                    .withDisruptionsAllowed(allowed(budget, pods))
                    .endStatus()
                    .build();
        } catch (IllegalArgumentException e) {
            remarks.broken(
                    "PodDisruptionBudget",
                    budget.getMetadata().getNamespace(),
                    budget.getMetadata().getName(),
                    e.getMessage() + "; the plan assumes that the budget allows no eviction");
            return budget;
        }
    }

    /**
     * Returns how many pods of the budget may be evicted now.
     *
     * @throws IllegalArgumentException if a number in the budget is invalid
     */
    private static int allowed(PodDisruptionBudget budget, Collection<Pod> all) {
        var selector = Selector.of(budget.getSpec().getSelector());
        var pods = all.stream()
                .filter(pod -> !PodReading.ended(pod)
                        && pod.getMetadata()
                                .getNamespace()
                                .equals(budget.getMetadata().getNamespace())
                        && selector.matches(labels(pod)))
                .toList();
        int expected = pods.size();
        int healthy = (int) pods.stream().filter(OfflineBudgets::isHealthy).count();
        var most = budget.getSpec().getMaxUnavailable();
        if (most == null && budget.getSpec().getMinAvailable() == null) {
            return 0; // as in the disruption controller
        }
        int needed = most != null
                ? Math.max(0, expected - number("spec.maxUnavailable", most, expected))
                : number("spec.minAvailable", budget.getSpec().getMinAvailable(), expected);
        return Math.max(0, healthy - needed);
    }

    private static int number(String field, IntOrString value, int all) {
        if (value.getIntVal() != null) {
            return value.getIntVal();
        }
        var text = String.valueOf(value.getStrVal());
        if (!text.matches("[0-9]{1,3}%")) {
            throw new IllegalArgumentException("%s: '%s' is neither a number nor a percentage".formatted(field, text));
        }
        return (all * Integer.parseInt(text.substring(0, text.length() - 1)) + 99) / 100;
    }

    /**
     * Whether the pod is on a node, is not being deleted, and is not reported as unready. A missing condition counts as ready, since files
     * that are written by hand usually have no conditions.
     */
    private static boolean isHealthy(Pod pod) {
        return pod.getSpec() != null
                && pod.getSpec().getNodeName() != null
                && pod.getMetadata().getDeletionTimestamp() == null
                && Optional.ofNullable(pod.getStatus()).map(status -> status.getConditions()).orElse(List.of()).stream()
                        .noneMatch(condition ->
                                "Ready".equals(condition.getType()) && "False".equals(condition.getStatus()));
    }

    private static Map<String, String> labels(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
    }
}
