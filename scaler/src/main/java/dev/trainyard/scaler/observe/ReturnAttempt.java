package dev.trainyard.scaler.observe;

import dev.trainyard.core.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The last attempt to return the pods of an on-demand machine to spot machines, stored as an annotation of the machine's node. Each failed
 * attempt doubles the wait before the next one, up to a limit.
 *
 * @param running whether the attempt goes on: a spot machine is provisioning for the pods, or is usable
 * @param failures the number of failed attempts in a row
 * @param at when the attempt began, or when it failed
 */
public record ReturnAttempt(boolean running, int failures, Instant at) {

    /** The longest wait after a failed attempt, unless the tier's {@code returnToSpot.after} is longer. */
    private static final Duration LONGEST = Duration.ofHours(4);

    private static final int MOST_DOUBLINGS = 10;

    private static final String RUNNING = "running";
    private static final String FAILED = "failed";

    /** Returns the attempt that begins now, after the given one. */
    public static ReturnAttempt begun(Optional<ReturnAttempt> before, Instant now) {
        return new ReturnAttempt(true, before.map(ReturnAttempt::failures).orElse(0), now);
    }

    /** Returns the attempt that has failed now: the given one, or the first one. */
    public static ReturnAttempt failed(Optional<ReturnAttempt> before, Instant now) {
        return new ReturnAttempt(false, before.map(ReturnAttempt::failures).orElse(0) + 1, now);
    }

    /**
     * Returns when the next attempt may begin, if this one has failed.
     *
     * @param after the wait without any failure
     */
    public Instant next(Duration after) {
        return at.plus(Durations.doubled(after, Math.min(failures, MOST_DOUBLINGS), Durations.max(after, LONGEST)));
    }

    /** Returns the annotation's value: {@code failed, 2, 2026-01-01T10:00:00Z}. */
    @Override
    public String toString() {
        return "%s, %d, %s".formatted(running ? RUNNING : FAILED, failures, at);
    }

    /** Parses the result of {@link #toString}; returns empty for any other text. */
    static Optional<ReturnAttempt> parse(String text) {
        var parts = text.split(",", 3);
        if (parts.length < 3) {
            return Optional.empty();
        }
        var state = parts[0].strip();
        try {
            int failures = Integer.parseInt(parts[1].strip());
            return state.equals(RUNNING) || state.equals(FAILED)
                    ? PodReading.time(parts[2].strip())
                            .map(at -> new ReturnAttempt(state.equals(RUNNING), failures, at))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
