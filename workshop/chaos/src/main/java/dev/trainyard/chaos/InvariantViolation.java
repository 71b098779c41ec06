package dev.trainyard.chaos;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What must always hold does not. An error, so that nothing in between handles it. */
final class InvariantViolation extends Error {

    private static final long serialVersionUID = 1;

    private static final int FRAMES = 5;

    private final String invariant;
    private final Duration at;

    InvariantViolation(String invariant, Duration at, String how) {
        super(how);
        this.invariant = invariant;
        this.at = at;
    }

    /** An exception in one line, with where it came from. */
    static String in(RuntimeException problem) {
        return Stream.of(problem.getStackTrace())
                .limit(FRAMES)
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(", ", problem + ", at ", ""));
    }

    String invariant() {
        return invariant;
    }

    Duration at() {
        return at;
    }
}
