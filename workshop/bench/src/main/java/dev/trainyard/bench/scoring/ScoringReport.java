package dev.trainyard.bench.scoring;

import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of {@link ScoringBench}, also written as JSON. Allocations are percentages of all GPUs.
 *
 * @param trace name of the pods' file without its extension
 * @param sha256 hash of machines and orders of arrival; equal experiments have equal hashes
 * @param nodes number of machines; {@code gpus} is their total number of GPUs
 * @param pods mean number of pods in an order
 * @param ties tie-break between equal scores
 * @param percentageOfNodes percentage of the nodes that the scheduler searches: a whole number, or {@code default}
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
     * Results of one policy over all seeds.
     *
     * @param overHttp whether this is a policy of the extender; false for a baseline
     * @param allocated130 mean of {@code runs}; {@code allocated100} is the mean at the time when pods had requested 100 % of the GPUs
     * @param sd standard deviation of {@code allocated130} over seeds; {@code sd100} is the standard deviation of {@code allocated100}
     * @param difference mean difference between a run and the run of the baseline {@code most-allocated-gpu} with the same order of arrival
     * @param won number of orders in which the policy was better than that baseline; {@code signTest} is the p-value of the two-sided sign
     *     test
     * @param unplaced mean number of pods without a machine, by the pods' GPUs: 0, shared (a part of one GPU), 1, 2 and so on;
     *     {@code arrived} is the mean number of arrived pods
     * @param p50Micros median time of one decision in microseconds, which includes both calls if the policy is the extender's;
     *     {@code p99Micros} is the 99th percentile
     * @param runs percentage of GPUs allocated after all pods had arrived, for each order
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
            Map<String, Double> unplaced,
            Map<String, Double> arrived,
            double p50Micros,
            double p99Micros,
            List<Double> runs) {

        public Policy {
            unplaced = Collections.unmodifiableMap(new LinkedHashMap<>(unplaced)); // keeps the insertion order
            arrived = Collections.unmodifiableMap(new LinkedHashMap<>(arrived));
            runs = List.copyOf(runs);
        }
    }

    /** A target of a policy: the value must be above {@code limit}, or at least {@code limit} if {@code orEqual}. */
    public record Target(String policy, String what, double value, double limit, boolean orEqual, boolean met) {

        /** Compares the value with the limit before rounding. */
        static Target of(String policy, String what, double value, double limit, boolean orEqual) {
            boolean met = orEqual ? value >= limit : value > limit;
            return new Target(
                    policy, what, rounded(value, PERCENT_DIGITS), rounded(limit, PERCENT_DIGITS), orEqual, met);
        }
    }

    /** Decimal places of a percentage. */
    static final int PERCENT_DIGITS = 3;

    static double rounded(double value, int digits) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value)
                        .setScale(digits, RoundingMode.HALF_EVEN)
                        .doubleValue()
                : value;
    }
}
