package dev.trainyard.scaler.observe;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The deadlines of trainings in a {@link Snapshot}; see {@link ProgressMemory}.
 *
 * @param policies the policies of pods that state a deadline, by UID
 * @param records the progress to write on pods, so that it survives a restart of the scaler
 * @param invalid pods whose annotations cannot be read, or whose tier allows no deadlines; these pods count as stating no deadline
 */
public record Deadlines(Map<String, ProgressPolicy> policies, List<Progress> records, List<Unreadable> invalid) {

    /** No deadlines. */
    public static final Deadlines NONE = new Deadlines(Map.of(), List.of(), List.of());

    public Deadlines {
        policies = Map.copyOf(policies);
        records = List.copyOf(records);
        invalid = List.copyOf(invalid);
    }

    /**
     * The progress of a training before its present pod.
     *
     * @param text the value of the pod's annotation
     */
    public record Progress(PodOnNode pod, String text) {}

    /** Returns the policy of a pod; empty if the pod states no deadline. */
    public Optional<ProgressPolicy> of(String uid) {
        return Optional.ofNullable(policies.get(uid));
    }

    /** Returns the choice for a pod that is pending. */
    public ProgressPolicy.Choice choice(String uid, Instant now) {
        var policy = policies.get(uid);
        return policy == null ? ProgressPolicy.Choice.ANY_POOL : policy.choose(now);
    }
}
