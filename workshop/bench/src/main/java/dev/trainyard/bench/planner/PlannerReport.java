package dev.trainyard.bench.planner;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.trainyard.bench.measure.Goal;
import java.util.List;

/**
 * The results of the planner benchmark.
 *
 * @param machine description of the machine that ran the benchmark
 * @param quick whether fewer pods and rounds were used; such figures only show that the benchmark runs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PlannerReport(
        String machine,
        long seed,
        boolean quick,
        List<Case> cases,
        List<Gangs> gangs,
        List<Growth> growth,
        List<Goal> targets) {

    /**
     * Measurements of repeated plans for one snapshot.
     *
     * @param cold time of the first plan, in milliseconds
     * @param median median time of the later plans, in milliseconds; {@code p95} is their 95th percentile
     * @param cpu median CPU time of the planning thread, in milliseconds, which excludes the load of other processes
     * @param floor median time to count the pods of equal shape and do nothing else, in milliseconds
     * @param toFloor time of a plan divided by the time of the floor, as the median of all rounds
     * @param allocated bytes allocated for one plan
     * @param machines machines that the plan requests
     * @param cost price of the requested machines for an hour, in the currency of the prices
     * @param bound lower bound of the cost of any plan
     * @param overBound cost above {@code bound}, as a share of {@code bound}
     * @param unplaced pods that the plan does not place
     * @param faults faults that {@code PlanCheck}, which is independent of the planner, found in the plan
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
     * Plans for gangs beside plans for the same pods without gangs.
     *
     * @param millis median CPU time of a plan for the gangs
     * @param without median CPU time of a plan for the same pods without gangs, measured in turn with the others
     * @param ratio median of the ratios of the two
     * @param faults faults that {@code PlanCheck} found in the plan for the gangs
     */
    public record Gangs(int pods, int gangs, double millis, double without, double ratio, List<String> faults) {}

    /**
     * Growth of the planning time with the number of pods.
     *
     * @param exponent exponent of the power law that fits the CPU times best
     */
    public record Growth(String what, List<Point> points, double exponent) {}

    /**
     * The CPU time of a plan for a number of pods.
     *
     * @param millis median CPU time of one plan
     */
    public record Point(int pods, double millis) {}
}
