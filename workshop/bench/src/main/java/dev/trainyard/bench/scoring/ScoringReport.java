package dev.trainyard.bench.scoring;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What {@link ScoringBench} found. Written as JSON as it is. Allocations are percent of the GPUs that there are.
 *
 * @param trace name of the file with the pods, without its ending
 * @param sha256 of machines and orders of arrival: equal for equal experiments
 * @param nodes how many machines; {@code gpus} those of all of them
 * @param pods how many pods come in an order, on average
 * @param ties who wins among equals
 * @param percentageOfNodes how much of the cluster the scheduler looks at: a whole number, or default
 */
@JsonPropertyOrder({"trace", "policies"})
public record ScoringReport(
        String trace,
        String sha256,
        int nodes,
        long gpus,
        long pods,
        int seeds,
        boolean wholeGpus,
        String ties,
        String percentageOfNodes,
        List<Policy> policies,
        List<Target> targets) {

    public ScoringReport {
        policies = List.copyOf(policies);
        targets = List.copyOf(targets);
    }

    /**
     * One policy over all seeds.
     *
     * @param overHttp whether it is the extender's own; a baseline otherwise
     * @param allocated130 mean of {@code runs}, when all pods had come; {@code allocated100} when they had asked for all GPUs
     * @param sd standard deviation of {@code allocated130} over seeds; {@code sd100} likewise
     * @param difference mean of the differences of {@code allocated130} to MostAllocated on GPUs with the same order of arrival
     * @param won in how many orders it was better than that; {@code signTest}: how likely that is by chance
     * @param failed pods that found no machine, on average over orders, by kind; {@code arrived}: pods that came
     * @param p50Micros of one decision, both calls for a policy over HTTPS; {@code p99Micros} likewise
     * @param runs percent allocated when all pods had come, in each order
     */
    public record Policy(
            String name,
            boolean overHttp,
            double allocated130,
            double allocated100,
            double sd,
            double sd100,
            double difference,
            int won,
            double signTest,
            Map<String, Double> failed,
            Map<String, Double> arrived,
            double p50Micros,
            double p99Micros,
            List<Double> runs) {

        public Policy {
            failed = Collections.unmodifiableMap(new LinkedHashMap<>(failed)); // keeps its order
            arrived = Collections.unmodifiableMap(new LinkedHashMap<>(arrived));
            runs = List.copyOf(runs);
        }
    }

    /** What is asked of a policy: more than {@code limit}, or that much where {@code orEqual}. */
    public record Target(String policy, String what, double value, double limit, boolean orEqual, boolean met) {

        /** Judges the value before it is rounded for the eye. */
        static Target of(String policy, String what, double value, double limit, boolean orEqual) {
            boolean met = orEqual ? value >= limit : value > limit;
            return new Target(
                    policy, what, rounded(value, PERCENT_DIGITS), rounded(limit, PERCENT_DIGITS), orEqual, met);
        }
    }

    /** Digits after the point of a percentage. */
    static final int PERCENT_DIGITS = 3;

    static double rounded(double value, int digits) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value)
                        .setScale(digits, RoundingMode.HALF_EVEN)
                        .doubleValue()
                : value;
    }
}
