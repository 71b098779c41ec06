package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.trainyard.bench.measure.Figures;
import java.util.List;

/**
 * Pairs of trials with the same API rate and number of pods.
 *
 * @param rate API rate limit of the schedulers in all trials
 * @param pairs at least one pair
 */
@JsonPropertyOrder({"rate", "pods", "pairs", "ratio", "ratioFromStart"}) // reflection returns methods in no fixed order
public record SchedulerComparison(ApiRate rate, int pods, List<Pair> pairs) {

    public SchedulerComparison {
        pairs = List.copyOf(pairs);
    }

    /** Returns the median of {@link Pair#ratio} over all pairs. */
    @JsonProperty
    public double ratio() {
        return Figures.median(pairs.stream().mapToDouble(Pair::ratio).toArray());
    }

    /** Returns the median of {@link Pair#ratioFromStart} over all pairs. */
    @JsonProperty
    public double ratioFromStart() {
        return Figures.median(pairs.stream().mapToDouble(Pair::ratioFromStart).toArray());
    }
}
