package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.trainyard.bench.measure.Figures;
import java.util.List;

/**
 * Rounds of the same kind.
 *
 * @param rate API rate of both schedulers
 * @param pairs at least one pair
 */
@JsonPropertyOrder({"rate", "pods", "pairs", "ratio", "ratioFromStart"}) // reflection returns methods in no fixed order
public record SchedulerComparison(ApiRate rate, int pods, List<Pair> pairs) {

    public SchedulerComparison {
        pairs = List.copyOf(pairs);
    }

    /** Returns the median of the rounds' ratios. */
    @JsonProperty
    public double ratio() {
        return Figures.median(pairs.stream().mapToDouble(Pair::ratio).toArray());
    }

    /** Returns the median of the rounds' ratios, with the scheduler's start included. */
    @JsonProperty
    public double ratioFromStart() {
        return Figures.median(pairs.stream().mapToDouble(Pair::ratioFromStart).toArray());
    }
}
