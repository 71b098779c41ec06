package dev.trainyard.simulation.workload;

import java.util.Comparator;
import java.util.List;

/** What users create, in the order in which they do. */
public record Workload(List<Task> tasks) {

    public Workload {
        tasks = tasks.stream().sorted(Comparator.comparing(Task::arrives)).toList();
    }
}
