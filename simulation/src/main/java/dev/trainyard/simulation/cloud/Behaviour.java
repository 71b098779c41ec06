package dev.trainyard.simulation.cloud;

import java.time.Duration;
import java.util.Optional;

/**
 * How the cloud treats one pool.
 *
 * @param group what kind of resource its machines are in
 * @param stock machines that there are at most at any time
 * @param leastBoot from an order's being filled to the machine's joining, at least
 * @param mostBoot at most
 * @param driver from a machine's joining until its GPUs show
 * @param failure from an order to the report that it cannot be filled
 * @param departure from the order to terminate until a machine is gone
 * @param evictedAfter how long a machine lasts on average until its cloud takes it back; empty: for ever
 * @param deallocates whether a machine that was taken back stays, stopped, instead of going
 * @param answers how it answers calls
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
     * How a cloud answers calls. Both of Azure's and AWS's lists may be behind, and both refuse what comes too often, by buckets of tokens that
     * refill (<a href="https://learn.microsoft.com/azure/virtual-machines/compute-throttling-limits">Azure</a>,
     * <a href="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/throttling.html">AWS</a>).
     *
     * @param behind from a machine's being made, or gone, until lists show it
     * @param inAMinute calls, at most, in the long run and at once
     */
    public record Answers(Duration behind, int inAMinute) {
        /** At once, and always. */
        public static final Answers PROMPT = new Answers(Duration.ZERO, Integer.MAX_VALUE);
    }

    /** What happens to orders that cannot be filled, and to the target when a machine is taken back. */
    public enum Group {
        /** An order is tried once; what could not be made stays, failed. A machine that is taken back lowers the target. */
        SCALE_SET,
        /** What is missing is tried again every so often, for ever. The target stays, and a machine that was taken back is replaced. */
        AUTO_SCALING_GROUP
    }
}
