package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.Failure;
import java.time.Instant;

/**
 * A failure and the time of its request.
 *
 * @param ordered when the machine was requested; the time of the failure if unknown
 * @param repeats whether the cloud reports the same failure in later rounds again. Such a failure is new only if it is later than all
 *     failures that were considered before
 */
public record Setback(Failure failure, Instant ordered, boolean repeats) {

    /** Returns the setback for a failure that a cloud reports repeatedly, without the time of the request. */
    public static Setback of(Failure failure) {
        return new Setback(failure, failure.at(), true);
    }

    /**
     * Returns the setback for a failure that is found only once for each occurrence. The failure counts as new even if the clock has been
     * set back since the last considered failure.
     */
    public static Setback once(Failure failure) {
        return new Setback(failure, failure.at(), false);
    }
}
