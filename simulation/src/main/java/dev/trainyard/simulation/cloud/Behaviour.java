package dev.trainyard.simulation.cloud;

import java.time.Duration;
import java.util.Optional;

/**
 * The behaviour of a cloud for one pool.
 *
 * @param group the kind of resource that contains the machines
 * @param stock the largest number of machines that exist at a time
 * @param leastBoot the shortest time from a machine's creation until it joins
 * @param mostBoot the longest time from a machine's creation until it joins
 * @param driver the time from a machine's joining until its GPUs show
 * @param failure the time from a request until the cloud reports that it cannot fill it
 * @param departure the time from a termination request until the machine is gone
 * @param evictedAfter how long a machine lasts on average until its cloud reclaims it; empty if it is never reclaimed
 * @param deallocates whether a reclaimed machine stays, stopped, instead of being deleted
 * @param answers how the cloud answers calls
 */
public record Behaviour(
        Group group,
        int stock,
        Duration leastBoot,
        Duration mostBoot,
        Duration driver,
        Duration failure,
        Duration departure,
        Optional<Duration> evictedAfter,
        boolean deallocates,
        Answers answers) {

    /**
     * The timing and the limits of a cloud's answers. Lists of Azure and AWS may be stale. Both throttle calls by token buckets (<a
     * href="https://learn.microsoft.com/azure/virtual-machines/compute-throttling-limits">Azure</a>, <a
     * href="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html">AWS</a>).
     *
     * @param behind the delay until lists show that a machine was created or is gone
     * @param inAMinute the limit of calls, both per minute and at once
     */
    public record Answers(Duration behind, int inAMinute) {
        /** Answers without delay and without a limit. */
        public static final Answers PROMPT = new Answers(Duration.ZERO, Integer.MAX_VALUE);
    }

    /** How a resource handles requests that cannot be filled, and the target after a machine was reclaimed. */
    public enum Group {
        /** A request is tried once, and a missing machine is reported as failed. A reclaimed machine lowers the target. */
        SCALE_SET,
        /** Missing machines are retried at intervals, without an end. The target stays, and a reclaimed machine is replaced. */
        AUTO_SCALING_GROUP
    }
}
