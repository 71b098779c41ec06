package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.Failure;
import java.time.Instant;

/**
 * A failure and the time of its request.
 *
 * @param ordered when the machine was requested; if unknown, the time of the failure
 * @param repeats whether later rounds may find the same failure again. Such a failure is new only if its time is after the times of all
 *     failures that were considered before
 */
public record Setback(Failure failure, Instant ordered, boolean repeats) {

    /** Returns the setback for a failure that a cloud reports repeatedly and without the time of the request. */
    public static Setback of(Failure failure) {
        return new Setback(failure, failure.at(), true);
    }

    /**
     * Returns the setback for a failure that is found only once each time it happens. Such a failure always counts as new, even if the
     * clock was set back after an earlier failure.
     */
    public static Setback once(Failure failure) {
        return new Setback(failure, failure.at(), false);
    }
}
