package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.Failure;
import java.time.Instant;

/**
 * A failure and the order that it comes of.
 *
 * @param ordered when the machine was ordered; where that is not known, when the failure happened
 * @param repeats whether it is told again in later rounds, so that one that happened before the last one answered has been answered
 */
public record Setback(Failure failure, Instant ordered, boolean repeats) {

    /** What a cloud tells, for as long as it likes, of an order of which nothing is known. */
    public static Setback of(Failure failure) {
        return new Setback(failure, failure.at(), true);
    }

    /** What is found once, and not again unless it happens again: it is news whatever the clock was when the last failure was answered. */
    public static Setback once(Failure failure) {
        return new Setback(failure, failure.at(), false);
    }
}
