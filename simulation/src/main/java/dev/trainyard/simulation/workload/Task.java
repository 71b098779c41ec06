package dev.trainyard.simulation.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Something that a user creates.
 *
 * @param kind of what owns its pods, such as {@code Job}; {@code Pod} for a pod that nobody owns
 * @param template of its pods: {@code metadata} and {@code spec}; a new one each time, whoever gets it may change it
 * @param pods that run at the same time
 * @param completions of a Job: pods that have to succeed; otherwise as many as {@code pods}
 * @param backoffLimit pods of a Job that may fail or be lost before it has failed
 * @param arrives when it is created, after the start
 * @param runsFor how long each pod of a Job runs, or how long another is kept; empty: for ever
 */
public record Task(
        String kind,
        String namespace,
        String name,
        Supplier<ObjectNode> template,
        int pods,
        int completions,
        int backoffLimit,
        Duration arrives,
        Optional<Duration> runsFor) {

    /** Of a Job that says nothing else. */
    public static final int USUAL_BACKOFF_LIMIT = 6;

    /** With the usual {@code backoffLimit}. */
    public Task(
            String kind,
            String namespace,
            String name,
            Supplier<ObjectNode> template,
            int pods,
            int completions,
            Duration arrives,
            Optional<Duration> runsFor) {
        this(kind, namespace, name, template, pods, completions, USUAL_BACKOFF_LIMIT, arrives, runsFor);
    }

    /** The same in another namespace. */
    public Task in(String other) {
        return new Task(kind, other, name, template, pods, completions, backoffLimit, arrives, runsFor);
    }

    /** The same with pods that run for so long. */
    public Task running(Duration time) {
        return new Task(kind, namespace, name, template, pods, completions, backoffLimit, arrives, Optional.of(time));
    }

    /** Whether its pods end by themselves. */
    public boolean ends() {
        return kind.equals("Job") || kind.equals("Pod");
    }
}
