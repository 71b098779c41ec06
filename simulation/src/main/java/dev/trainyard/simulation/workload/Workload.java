package dev.trainyard.simulation.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

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

    /**
     * Returns the workload with a deadline for each Job that states none and whose run time is known. The pods of such Jobs get
     * {@code restartPolicy: Never} if they state none, so that the webhook lets reclaims not count as failures.
     *
     * @param start the wall-clock time at the start of the simulation
     * @param factor the time from the creation of a Job until its deadline, as a multiple of its run time
     * @param slack the least time that a Job has in addition to its run time, whatever the factor is
     */
    public Workload withDeadlines(Instant start, double factor, Duration slack, Duration restartCost) {
        return changed(task -> {
            var runs = task.runsFor().filter(time -> task.kind().equals("Job") && !time.isZero());
            return runs.isEmpty()
                    ? task
                    : task.changed(pod -> {
                        var annotations = pod.withObject("/metadata/annotations");
                        if (!annotations.has(Names.DEADLINE)) {
                            var lasts = Durations.max(
                                    Duration.ofMillis(
                                            Math.round(factor * runs.get().toMillis())),
                                    runs.get().plus(slack));
                            annotations
                                    .put(
                                            Names.DEADLINE,
                                            start.plus(task.arrives())
                                                    .plus(lasts)
                                                    .toString())
                                    .put(Names.WORK, Durations.format(runs.get()))
                                    .put(Names.RESTART_COST, Durations.format(restartCost));
                            var spec = pod.withObject("/spec");
                            if (!spec.has("restartPolicy")) {
                                spec.put("restartPolicy", "Never");
                            }
                        }
                    });
        });
    }

    /** Returns the workload with deadlines that the report considers, but not the scaler. */
    public Workload hidingDeadlines() {
        return changed(task -> task.changed(pod -> {
            var annotations = pod.withObject("/metadata/annotations");
            annotations.remove(Names.WORK);
            rename(annotations, Names.DEADLINE, YamlWorkload.DEADLINE);
            rename(annotations, Names.RESTART_COST, YamlWorkload.RESTART_COST);
        }));
    }

    private static void rename(ObjectNode annotations, String from, String to) {
        var value = annotations.remove(from);
        if (value != null) {
            annotations.set(to, value);
        }
    }

    private Workload changed(UnaryOperator<Task> change) {
        return new Workload(tasks.stream().map(change).toList(), priorityClasses, budgets);
    }

    /** Returns the workload without tasks that arrive at {@code end} or later. */
    public Workload before(Duration end) {
        return new Workload(
                tasks.stream().filter(task -> task.arrives().compareTo(end) < 0).toList(), priorityClasses, budgets);
    }
}
