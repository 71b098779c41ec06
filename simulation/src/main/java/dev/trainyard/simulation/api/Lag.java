package dev.trainyard.simulation.api;

import java.time.Duration;

/** The delay of a watch. An {@link Informer} asks for the delay once for each change. */
@FunctionalInterface
public interface Lag {

    /** The delay in a healthy cluster. */
    Lag USUAL = () -> Duration.ofMillis(5);

    Duration next();

    /** Whether a watch reports a change twice. Queried once for each change. */
    default boolean repeats() {
        return false;
    }
}
