package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;

/** One trial with the extender and one without, one right after the other. */
@JsonPropertyOrder({"with", "without", "ratio", "ratioFromStart"}) // methods come in any order
public record Pair(Trial with, Trial without) {

    /** Of what is placed in a second. */
    @JsonProperty
    public double ratio() {
        return with.podsPerSecond() / without.podsPerSecond();
    }

    /** Of what is placed in a second, the scheduler's start counted. */
    @JsonProperty
    public double ratioFromStart() {
        return without.secondsFromStart() / with.secondsFromStart();
    }
}
