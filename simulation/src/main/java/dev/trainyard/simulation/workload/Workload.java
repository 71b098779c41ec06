package dev.trainyard.simulation.workload;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * The objects that users create, in the order of their creation.
 *
 * @param priorityClasses PriorityClasses that the pods may name
 * @param budgets the disruption budgets of the pods, which exist from the start
 */
public record Workload(List<Task> tasks, List<PriorityClass> priorityClasses, List<PodDisruptionBudget> budgets) {

    /** Creates a workload without priority classes and budgets. */
    public Workload(List<Task> tasks) {
        this(tasks, List.of());
    }

    /** Creates a workload without budgets. */
    public Workload(List<Task> tasks, List<PriorityClass> priorityClasses) {
        this(tasks, priorityClasses, List.of());
    }

    public Workload {
        priorityClasses = List.copyOf(priorityClasses);
        budgets = List.copyOf(budgets);
        tasks = tasks.stream().sorted(Comparator.comparing(Task::arrives)).toList();
    }

    /** Returns the workload without tasks that arrive at {@code end} or later. */
    public Workload before(Duration end) {
        return new Workload(
                tasks.stream().filter(task -> task.arrives().compareTo(end) < 0).toList(), priorityClasses, budgets);
    }
}
