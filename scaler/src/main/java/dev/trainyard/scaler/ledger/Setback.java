package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.Failure;
import java.time.Instant;

/**
 * A failure and the order that it comes of.
 *
 * @param ordered when the machine was ordered; where that is not known, when the failure happened
 */
public record Setback(Failure failure, Instant ordered) {

    /** A failure of an order of which nothing is known. */
    public static Setback of(Failure failure) {
        return new Setback(failure, failure.at());
    }
}
