package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * One run of a scheduler that started when all pods existed, and placed all of them.
 *
 * @param seconds time from the first bound pod to the last
 * @param secondsFromStart time from the start of the scheduler's process to the last bound pod
 * @param calls calls to the extender; null in a trial without the extender
 */
public record SchedulerTrial(
        int pods,
        double seconds,
        double secondsFromStart,
        Cpu cpu,
        @Nullable ExtenderCalls calls) {

    /** Returns the pods placed per second, from the first to the last bound pod. */
    @JsonProperty
    public double podsPerSecond() {
        return (pods - 1) / seconds;
    }
}
