package dev.trainyard.simulation.chaos;

import java.time.Duration;

/** What must always hold does not. An error, so that nothing in between handles it. */
final class Broken extends Error {

    private static final long serialVersionUID = 1;

    private final String invariant;
    private final Duration at;

    Broken(String invariant, Duration at, String how) {
        super(how);
        this.invariant = invariant;
        this.at = at;
    }

    String invariant() {
        return invariant;
    }

    Duration at() {
        return at;
    }
}
