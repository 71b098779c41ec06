package dev.trainyard.bench.planner;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.trainyard.bench.measure.Goal;
import java.util.List;

/**
 * What was measured.
 *
 * @param machine where
 * @param quick whether with fewer pods and rounds: of no use but to see that it runs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlannerReport(
        String machine, long seed, boolean quick, List<Case> cases, List<Growth> growth, List<Goal> targets) {

    /**
     * One snapshot, planned for again and again.
     *
     * @param cold the first plan of all, in milliseconds
     * @param median of the others, in milliseconds; so {@code p95}
     * @param cpu of the planning thread, the median, in milliseconds: what {@code median} would be if nothing else ran
     * @param floor how long it takes to count equal shapes of the same pods and do nothing else: the median, in milliseconds
     * @param toFloor the median of the rounds' ratios of plan to floor
     * @param allocated bytes for one plan
     * @param machines bought
     * @param cost of the machines bought, for an hour, in the currency of prices
     * @param bound below which no plan can stay
     * @param overBound how much more {@code cost} is, as a share of {@code bound}
     * @param unplaced pods without a place
     * @param faults what the independent check of the plan found; empty when it holds
     */
    public record Case(
            String name,
            String what,
            int pods,
            int pools,
            int nodes,
            int rounds,
            double cold,
            double median,
            double p95,
            double cpu,
            double floor,
            double toFloor,
            long allocated,
            int machines,
            double cost,
            double bound,
            double overBound,
            int unplaced,
            List<String> faults) {}

    /**
     * How time grows with the number of pods.
     *
     * @param exponent of the power of the number of pods that fits the CPU times best
     */
    public record Growth(String what, List<Point> points, double exponent) {}

    /**
     * The CPU time of a plan for a number of pods.
     *
     * @param millis CPU time of one plan, the median
     */
    public record Point(int pods, double millis) {}
}
