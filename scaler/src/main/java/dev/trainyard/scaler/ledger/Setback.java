package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.Failure;
import java.time.Instant;

/**
 * A failure and the time of its request.
 *
 * @param ordered when the machine was requested; the time of the failure if unknown
 * @param repeats whether later rounds report it again; a report from before the last answered failure is no news then
 */
public record Setback(Failure failure, Instant ordered, boolean repeats) {

    /** Returns the setback for a failure that a cloud reports repeatedly, of an unknown request. */
    public static Setback of(Failure failure) {
        return new Setback(failure, failure.at(), true);
    }

    /**
     * Returns the setback for a failure that is found only once for each occurrence. It is news even if the clock has been set back since
     * the last answer.
     */
    public static Setback once(Failure failure) {
        return new Setback(failure, failure.at(), false);
    }
}
