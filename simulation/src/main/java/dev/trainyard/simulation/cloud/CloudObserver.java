package dev.trainyard.simulation.cloud;

import dev.trainyard.core.pool.Pool;
import java.time.Duration;

/**
 * An observer of the requests to a cloud, called before each request is executed. The observer also decides the cloud's stock and pace of
 * delivery.
 */
public interface CloudObserver {

    /** An observer that ignores all reports and returns the default stock and pace. */
    CloudObserver NONE = new CloudObserver() {};

    /** Reports an accepted request for more machines. */
    default void grows(Pool pool, int from, int to) {}

    /** Reports the withdrawal of a request. */
    default void withdraws(Pool pool, int from, int to) {}

    /** Reports that the cloud has no machines for a request. */
    default void fails(Pool pool) {}

    /** Reports that a machine is about to be terminated by request. */
    default void terminates(Pool pool, String machine) {}

    /** Whether clouds reclaim spot machines. */
    default boolean reclaimsSpotMachines() {
        return true;
    }

    /**
     * Returns the interval at which the scaler reads a pool with an operation in progress. The interval depends on the request limits of
     * clouds.
     */
    default Duration attention() {
        return Duration.ofSeconds(10);
    }

    /** Returns the time from one machine of a request to the next; zero if all are created at once. */
    default Duration pace(Pool pool) {
        return Duration.ZERO;
    }

    /**
     * Returns the largest number of machines of a pool that can exist at the same time.
     *
     * @param usual the number without a fault
     */
    default int stock(Pool pool, int usual) {
        return usual;
    }
}
