package dev.trainyard.simulation.api;

import java.time.Duration;

/** How late a watch tells of a change. Asked once for each change. */
@FunctionalInterface
public interface Lag {

    /** As in a cluster that is well. */
    Lag USUAL = () -> Duration.ofMillis(5);

    Duration next();

    /** Whether a watch tells of a change twice. Asked once for each change. */
    default boolean repeats() {
        return false;
    }
}
