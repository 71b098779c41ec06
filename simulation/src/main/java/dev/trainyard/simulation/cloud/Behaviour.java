package dev.trainyard.simulation.cloud;

import java.time.Duration;
import java.util.Optional;

/**
 * The behaviour of a cloud for one pool.
 *
 * @param group the kind of resource that contains the machines
 * @param stock the largest number of machines that can exist at the same time
 * @param leastBoot the shortest time from a machine's creation until it joins
 * @param mostBoot the longest time from a machine's creation until it joins
 * @param driver the time from the joining of a machine until its node shows GPUs
 * @param failure the time from a request until the cloud reports that it cannot fill the request
 * @param departure the time from a termination request until the machine is gone
 * @param evictedAfter the mean time until the cloud reclaims a machine; empty if the cloud reclaims none
 * @param notice how long before a reclaim the cloud announces it; zero if the cloud announces none
 * @param deallocates whether the cloud stops a reclaimed machine and keeps it, instead of deleting it
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
        Duration notice,
        boolean deallocates,
        Answers answers) {

    /**
     * The timing and the limits of a cloud's answers. The lists that Azure and AWS return may be stale. Azure and AWS throttle calls by
     * token buckets (<a href="https://learn.microsoft.com/azure/virtual-machines/compute-throttling-limits">Azure</a>, <a
     * href="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html">AWS</a>).
     *
     * @param behind the delay until the cloud's lists show that a machine was created or is gone
     * @param inAMinute the size of the token bucket: the number of calls allowed at once, and the number of calls allowed per minute
     */
    public record Answers(Duration behind, int inAMinute) {
        /** Answers without delay and without a limit. */
        public static final Answers PROMPT = new Answers(Duration.ZERO, Integer.MAX_VALUE);
    }

    /** The kind of a cloud resource, which decides what follows an unfilled request or the reclaim of a machine. */
    public enum Group {
        /** The cloud tries a request once, and reports missing machines as failed. The reclaim of a machine lowers the target. */
        SCALE_SET,
        /**
         * The cloud retries missing machines at intervals, without an end. The reclaim of a machine keeps the target, so the machine is
         * replaced.
         */
        AUTO_SCALING_GROUP
    }
}
