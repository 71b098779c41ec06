package dev.trainyard.simulation;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link Scenario}. Times are in seconds, but machine and GPU times are in hours.
 *
 * @param faults kinds of faults that were injected
 * @param seconds the simulated time
 * @param pods pods that were created, including replacements of lost pods
 * @param ran pods that ran
 * @param lost pods that were deleted or lost their machine while they ran
 * @param failedJobs Jobs that lost more pods than their {@code backoffLimit} allows
 * @param waiting the number of pods that are pending at the end, by reason; the reason is the scaler's message, or the scheduler's message
 *     if the scaler ignores the pod
 * @param refused the number of pods that admission refused, by reason
 * @param waits times from a pod's creation until it ran; null if no pod ran
 * @param waitsByGpus the waits of pods by their number of GPUs: {@code 0}, {@code shared} for a part of one GPU, {@code 1} and so on
 * @param reclaims what reclaims of spot machines cost; null if no running pod was affected
 * @param deadlines the deadlines of Jobs that have passed, or whose Jobs have ended; null if there are none
 * @param cost the cost of all machines, by the pools' {@code hourlyPrice}
 * @param gpuHoursPaid GPU hours of the machines, whether used or not
 * @param gpuHoursUsed GPU hours of running pods
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SimulationOutcome(
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
        Map<String, WaitsOfSize> waitsByGpus,
        @Nullable Reclaims reclaims,
        @Nullable DeadlineCounts deadlines,
        double cost,
        double gpuHoursPaid,
        double gpuHoursUsed,
        long rounds,
        List<PoolOutcome> pools,
        List<Sample> timeline) {

    /** Percentiles of waits: the median, the 95th percentile and the longest. */
    public record Waits(double p50, double p95, double max) {}

    /**
     * The waits of pods of one size.
     *
     * @param ran pods of this size that ran
     */
    public record WaitsOfSize(int ran, Waits waits) {}

    /**
     * The running pods that a reclaim or its announcement ended.
     *
     * @param pods the number of these pods
     * @param saved how many of these pods saved their state before they ended
     * @param gpuHoursLost the GPU hours of these pods that did not help the training: since the start of the pod, or since it began to save
     *     its state
     * @param waits times from the end of a pod until its replacement ran; null if no replacement ran
     * @param delays times from the reclaim of a machine until the replacement of a pod ran, 0 if it ran before; null if no replacement ran
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Reclaims(
            int pods,
            int saved,
            double gpuHoursLost,
            @Nullable Waits waits,
            @Nullable Waits delays) {}

    /**
     * The deadlines of Jobs.
     *
     * @param met Jobs that completed by their deadline
     * @param missed Jobs that did not
     */
    public record DeadlineCounts(int met, int missed) {}

    /**
     * The result for one pool.
     *
     * @param made machines that were created
     * @param most the largest number of machines at a time
     * @param hours machine hours that were paid for
     */
    public record PoolOutcome(String pool, int made, int most, double hours, double cost) {}

    /**
     * The state of the cluster at one moment.
     *
     * @param at seconds after the start
     * @param running running pods
     * @param waiting pending pods
     * @param machines machines by pool
     * @param gpus GPUs of the machines that are paid for
     * @param gpusUsed GPUs of running pods
     * @param cost the cost of all machines so far
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
