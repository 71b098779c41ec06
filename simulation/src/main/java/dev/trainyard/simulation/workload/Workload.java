package dev.trainyard.simulation.workload;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * What users create, in the order in which they do.
 *
 * @param priorityClasses that their pods may name
 * @param budgets how many of their pods may be disturbed; there from the start
 */
public record Workload(List<Task> tasks, List<PriorityClass> priorityClasses, List<PodDisruptionBudget> budgets) {

    /** Of pods that name no class. */
    public Workload(List<Task> tasks) {
        this(tasks, List.of());
    }

    /** Of pods that may be disturbed. */
    public Workload(List<Task> tasks, List<PriorityClass> priorityClasses) {
        this(tasks, priorityClasses, List.of());
    }

    public Workload {
        priorityClasses = List.copyOf(priorityClasses);
        budgets = List.copyOf(budgets);
        tasks = tasks.stream().sorted(Comparator.comparing(Task::arrives)).toList();
    }

    /** Without what would be created then or later. */
    public Workload before(Duration end) {
        return new Workload(
                tasks.stream().filter(task -> task.arrives().compareTo(end) < 0).toList(), priorityClasses, budgets);
    }
}
