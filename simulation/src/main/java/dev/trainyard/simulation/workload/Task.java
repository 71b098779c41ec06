package dev.trainyard.simulation.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;

/**
 * Something that a user creates.
 *
 * @param kind of what owns its pods, such as {@code Job}; {@code Pod} for a pod that nobody owns
 * @param template of its pods: {@code metadata} and {@code spec}; not changed by whoever reads it
 * @param pods that run at the same time
 * @param completions of a Job: pods that have to succeed; otherwise as many as {@code pods}
 * @param arrives when it is created, after the start
 * @param runsFor how long each pod of a Job runs, or how long another is kept; empty: for ever
 */
public record Task(
        String kind,
        String namespace,
        String name,
        ObjectNode template,
        int pods,
        int completions,
        Duration arrives,
        Optional<Duration> runsFor) {

    /** The same in another namespace. */
    public Task in(String other) {
        return new Task(kind, other, name, template, pods, completions, arrives, runsFor);
    }

    /** The same with pods that run for so long. */
    public Task running(Duration time) {
        return new Task(kind, namespace, name, template, pods, completions, arrives, Optional.of(time));
    }

    /** Whether its pods end by themselves. */
    public boolean ends() {
        return kind.equals("Job") || kind.equals("Pod");
    }
}
