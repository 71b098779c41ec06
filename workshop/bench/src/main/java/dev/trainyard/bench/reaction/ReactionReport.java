package dev.trainyard.bench.reaction;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Goal;
import java.util.List;

/**
 * What {@link ReactionBench} has measured. Times are in milliseconds.
 *
 * @param machine CPUs, operating system and Java
 * @param kubernetes such as {@code 1.36.3}
 * @param jvmOptions of the scaler
 * @param samples how many pods were measured
 * @param batchWindowMillis for which the scaler waits for more pods
 * @param reaction from the condition to the call
 * @param floor the same of a watch that writes as soon as it sees the condition
 */
public record ReactionReport(
        String machine,
        String kubernetes,
        List<String> jvmOptions,
        int samples,
        long batchWindowMillis,
        Times reaction,
        Times floor) {

    private static final double ENOUGH = 250;

    public ReactionReport {
        jvmOptions = List.copyOf(jvmOptions);
    }

    /** What is left when the batch window, which is chosen, is taken off. */
    @JsonProperty
    public Times withoutWindow() {
        return reaction.minus((double) batchWindowMillis);
    }

    @JsonProperty
    public List<Goal> targets() {
        return List.of(new Goal(
                "ms to the call, batch window taken off, p99", withoutWindow().p99(), ENOUGH, false));
    }
}
