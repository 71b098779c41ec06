package dev.trainyard.bench.scheduler;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.trainyard.bench.measure.Figures;
import java.util.List;

/**
 * Rounds of the same kind.
 *
 * @param rate of both schedulers
 * @param pairs at least one
 */
@JsonPropertyOrder({"rate", "pods", "pairs", "ratio", "ratioFromStart"}) // methods come in any order
public record Comparison(ApiRate rate, int pods, List<Pair> pairs) {

    public Comparison {
        pairs = List.copyOf(pairs);
    }

    /** The median of the rounds' ratios. */
    @JsonProperty
    public double ratio() {
        return Figures.median(pairs.stream().mapToDouble(Pair::ratio).toArray());
    }

    /** The median of the rounds' ratios, the scheduler's start counted. */
    @JsonProperty
    public double ratioFromStart() {
        return Figures.median(pairs.stream().mapToDouble(Pair::ratioFromStart).toArray());
    }
}
