package dev.trainyard.simulation.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A workload object that a user creates, such as a Job, and its pods.
 *
 * @param kind the kind of the pods' owner, such as {@code Job}; {@code Pod} for a pod without an owner
 * @param template returns, at each call, a new copy of the pod template, with {@code metadata} and {@code spec}. The caller may change the
 *     copy
 * @param pods pods that run at the same time
 * @param completions pods of a Job that have to succeed; for other kinds the same as {@code pods}
 * @param backoffLimit pods of a Job that may fail or be lost without failing the Job
 * @param arrives the time from the start of the simulation until the object is created
 * @param runsFor how long a bare Pod or each pod of a Job runs, or how long an object of another kind is kept; empty if there is no end
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

    /** The default {@code backoffLimit} of a Job. */
    public static final int USUAL_BACKOFF_LIMIT = 6;

    /** Creates a task with the default {@code backoffLimit}. */
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

    /** Returns this task in another namespace. */
    public Task in(String other) {
        return new Task(kind, other, name, template, pods, completions, backoffLimit, arrives, runsFor);
    }

    /** Returns this task with pods that run for the given time. */
    public Task running(Duration time) {
        return new Task(kind, namespace, name, template, pods, completions, backoffLimit, arrives, Optional.of(time));
    }

    /** Returns this task with a changed pod template. */
    Task changed(Consumer<ObjectNode> change) {
        Supplier<ObjectNode> changed = () -> {
            var pod = template.get();
            change.accept(pod);
            return pod;
        };
        return new Task(kind, namespace, name, changed, pods, completions, backoffLimit, arrives, runsFor);
    }

    /** Whether the pods end by themselves. */
    public boolean ends() {
        return kind.equals("Job") || kind.equals("Pod");
    }
}
