package dev.trainyard.simulation.cloud;

import dev.trainyard.core.pool.Pool;
import java.time.Duration;

/** Sees what a cloud is told to do, before it does it, and says how much there is to be had. */
public interface Witness {

    /** Looks at nothing. */
    Witness NONE = new Witness() {};

    /** More machines were asked for, and accepted. */
    default void grows(Pool pool, int from, int to) {}

    /** A request was taken back. */
    default void withdraws(Pool pool, int from, int to) {}

    /** There were no machines for an order. */
    default void fails(Pool pool) {}

    /** A machine is about to go because it was ordered to. */
    default void terminates(Pool pool, String machine) {}

    /** Whether clouds take back spot machines of their own accord. */
    default boolean takesBack() {
        return true;
    }

    /** How often a scaler looks at a pool in which something is under way: by the request limits of clouds. */
    default Duration attention() {
        return Duration.ofSeconds(10);
    }

    /** From one machine of an order until the cloud makes the next one; zero if it makes all at once. */
    default Duration pace(Pool pool) {
        return Duration.ZERO;
    }

    /** Machines that there are at most, instead of as many as usual. */
    default int stock(Pool pool, int usual) {
        return usual;
    }
}
