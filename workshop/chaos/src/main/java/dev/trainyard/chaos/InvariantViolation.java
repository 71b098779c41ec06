package dev.trainyard.chaos;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A violation of an invariant. Extends {@link Error}, so that no handler of exceptions catches it. */
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

    /** Formats an exception as one line, with the top of its stack trace. */
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
