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
        boolean deallocates) {

    /** What happens to orders that cannot be filled, and to the target when a machine is taken back. */
    public enum Group {
        /** An order is tried once; what could not be made stays, failed. A machine that is taken back lowers the target. */
        SCALE_SET,
        /** What is missing is tried again every so often, for ever. The target stays, and a machine that was taken back is replaced. */
        AUTO_SCALING_GROUP
    }
}
