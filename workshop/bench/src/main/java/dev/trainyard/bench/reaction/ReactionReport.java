package dev.trainyard.bench.reaction;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Goal;
import java.util.List;

/**
 * The results of {@link ReactionBench}. Times are in milliseconds.
 *
 * @param machine CPUs, operating system and Java
 * @param kubernetes version such as {@code 1.36.3}
 * @param jvmOptions JVM options of the scaler
 * @param samples number of measured pods, and of measured notices
 * @param batchWindowMillis time for which the scaler waits for more pods before it plans
 * @param reaction time from a pod's unschedulable condition to the scaler's call to the cloud
 * @param floor time from the same condition to the write of a minimal client that plans nothing, for comparison
 * @param notice the times from the notice of a reclaim, of as many notices as there are samples
 */
public record ReactionReport(
        String machine,
        String kubernetes,
        List<String> jvmOptions,
        int samples,
        long batchWindowMillis,
        Times reaction,
        Times floor,
        NoticeReaction notice) {

    private static final double ENOUGH = 250;
    private static final double ENOUGH_FOR_NOTICE = 300;

    public ReactionReport {
        jvmOptions = List.copyOf(jvmOptions);
    }

    /** Returns the reaction times minus the batch window. The window is a setting, so it says nothing about the scaler's speed. */
    @JsonProperty
    public Times withoutWindow() {
        return reaction.minus((double) batchWindowMillis);
    }

    @JsonProperty
    public List<Goal> targets() {
        return List.of(
                new Goal(
                        "ms to the call, batch window taken off, p99",
                        withoutWindow().p99(),
                        ENOUGH,
                        false),
                new Goal(
                        "ms from a notice to the call, p99",
                        notice.request().p99(),
                        ENOUGH_FOR_NOTICE + batchWindowMillis,
                        false));
    }
}
