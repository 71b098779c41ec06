package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/** A trial with the extender and a trial without it, one right after the other. */
@JsonPropertyOrder({"with", "without", "ratio", "ratioFromStart"}) // reflection returns methods in no fixed order
public record Pair(SchedulerTrial with, SchedulerTrial without) {

    /** Returns the pods placed per second with the extender, divided by those without it. */
    @JsonProperty
    public double ratio() {
        return with.podsPerSecond() / without.podsPerSecond();
    }

    /** Returns the ratio of pods placed per second, with the time counted from the start of the scheduler instead of the first binding. */
    @JsonProperty
    public double ratioFromStart() {
        return without.secondsFromStart() / with.secondsFromStart();
    }
}
