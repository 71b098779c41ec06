package dev.trainyard.simulation;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What came of a {@link Scenario}. Times are seconds, of machines hours.
 *
 * @param faults kinds of things that went wrong besides
 * @param seconds that were simulated
 * @param pods that were created, those that were made anew for lost ones included
 * @param ran how many of them ran
 * @param lost how many were lost while they ran
 * @param failedJobs Jobs of which more pods were lost than their {@code backoffLimit} allows
 * @param waiting pods that wait at the end, by the reason: in the scaler's words, or the scheduler's of pods that are none of the scaler's
 * @param refused pods that were not admitted, by the reason
 * @param waits from a pod's creation until it ran
 * @param cost of all machines, by the pools' {@code hourlyPrice}
 * @param gpuHoursPaid GPUs of the machines, whether used or not
 * @param gpuHoursUsed GPUs that pods had while they ran
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Outcome(
        String scenario,
        long seed,
        List<String> faults,
        double seconds,
        int pods,
        int ran,
        int lost,
        int failedJobs,
        Map<String, Integer> waiting,
        Map<String, Integer> refused,
        @Nullable Waits waits,
        double cost,
        double gpuHoursPaid,
        double gpuHoursUsed,
        long rounds,
        List<PoolOutcome> pools,
        List<Sample> timeline) {

    /** The wait that half of the pods, or 95 of 100, did not exceed; and the longest. */
    public record Waits(double p50, double p95, double max) {}

    /**
     * The result for one pool.
     *
     * @param made machines that were bought
     * @param most that there were at the same time
     * @param hours that machines were paid for
     */
    public record PoolOutcome(String pool, int made, int most, double hours, double cost) {}

    /**
     * How things stood.
     *
     * @param at seconds after the start
     * @param running pods that run
     * @param waiting pods that wait for room
     * @param machines by pool
     * @param gpus of the machines that are paid for
     * @param gpusUsed what pods that run have of them
     * @param cost of all machines up to then
     */
    public record Sample(
            double at,
            int running,
            int waiting,
            Map<String, Integer> machines,
            long gpus,
            double gpusUsed,
            double cost) {}
}
