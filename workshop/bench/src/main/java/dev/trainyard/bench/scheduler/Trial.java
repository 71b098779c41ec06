package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler that was started when all pods were there, and has placed them.
 *
 * @param seconds from the first pod that was bound to the last
 * @param secondsFromStart from the start of the scheduler's process to the last pod that was bound
 * @param calls to the extender; null without it
 */
public record Trial(
        int pods,
        double seconds,
        double secondsFromStart,
        Cpu cpu,
        @Nullable ExtenderCalls calls) {

    /** Between the first and the last. */
    @JsonProperty
    public double podsPerSecond() {
        return (pods - 1) / seconds;
    }
}
