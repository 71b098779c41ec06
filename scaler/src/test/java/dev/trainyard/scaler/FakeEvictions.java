package dev.trainyard.scaler;

import dev.trainyard.core.pod.Selector;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A simulation of evictions, with disruption budgets, grace periods, and controllers that create evicted pods again. */
public final class FakeEvictions {

    /** Names of pods whose eviction the API server answers with an internal error. */
    public final Set<String> broken = new HashSet<>();
    /** Names of pods that do not end after their eviction. */
    public final Set<String> stuck = new HashSet<>();
    /** Evictions that a budget refused, each as the pod's name and the time. */
    public final List<String> refused = new ArrayList<>();

    public Supplier<Instant> now = () -> Objects.NOON;
    private final Map<String, Pod> pods;
    private final List<PodDisruptionBudget> budgets;

    FakeEvictions(Map<String, Pod> pods, List<PodDisruptionBudget> budgets) {
        this.pods = pods;
        this.budgets = budgets;
    }

    /** Adds a budget for pods with the label {@code app}. */
    public void budget(String app, int allowed) {
        budgets.removeIf(budget -> budget.getMetadata().getName().equals(app));
        budgets.add(new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName(app)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .addToMatchLabels("app", app)
                .endSelector()
                .endSpec()
                .withNewStatus()
                .withDisruptionsAllowed(allowed)
                .endStatus()
                .build());
    }

    boolean evict(String name, Optional<Duration> grace) {
        if (broken.contains(name)) {
            throw new IllegalStateException("pod %s: internal error".formatted(name));
        }
        var pod = pods.get(name);
        if (pod == null || pod.getMetadata().getDeletionTimestamp() != null) {
            return true;
        }
        var budget = budgetOf(pod);
        if (budget.filter(b -> b.getStatus().getDisruptionsAllowed() < 1).isPresent()) {
            refused.add(name + " " + now.get());
            return false;
        }
        budget.ifPresent(b -> budget(b.getMetadata().getName(), b.getStatus().getDisruptionsAllowed() - 1));
        leave(pod, grace);
        return true;
    }

    private void leave(Pod pod, Optional<Duration> shortened) {
        var own = pod.getSpec().getTerminationGracePeriodSeconds();
        var grace = own == null ? null : shortened.map(Duration::toSeconds).orElse(own);
        if (grace == null) {
            pods.remove(pod.getMetadata().getName());
        } else {
            pods.put(
                    pod.getMetadata().getName(),
                    new PodBuilder(pod)
                            .editMetadata()
                            .withDeletionTimestamp(now.get().plusSeconds(grace).toString())
                            .withDeletionGracePeriodSeconds(grace)
                            .endMetadata()
                            .editStatus()
                            .addNewCondition()
                            .withType("DisruptionTarget")
                            .withStatus("True")
                            .withReason("EvictionByEvictionAPI")
                            .endCondition()
                            .endStatus()
                            .build());
        }
        if (!pod.getMetadata().getOwnerReferences().isEmpty()) {
            var again = pod.getMetadata().getName() + "-again";
            pods.put(
                    again,
                    new PodBuilder(Objects.waiting(again, null))
                            .editMetadata()
                            .withLabels(pod.getMetadata().getLabels())
                            .withCreationTimestamp(now.get().toString())
                            .endMetadata()
                            .editSpec()
                            .withContainers(pod.getSpec().getContainers())
                            .endSpec()
                            .build());
        }
    }

    private Optional<PodDisruptionBudget> budgetOf(Pod pod) {
        var labels = Optional.ofNullable(pod.getMetadata().getLabels()).orElse(Map.of());
        return budgets.stream()
                .filter(budget -> Selector.of(budget.getSpec().getSelector()).matches(labels))
                .findFirst();
    }

    /** Removes pods whose grace period has passed, as kubelets do. */
    void pass() {
        pods.values()
                .removeIf(pod -> pod.getMetadata().getDeletionTimestamp() != null
                        && !stuck.contains(pod.getMetadata().getName())
                        && !now.get().isBefore(Instant.parse(pod.getMetadata().getDeletionTimestamp())));
    }
}
