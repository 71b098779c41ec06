package dev.trainyard.scaler.ledger;

import java.time.Duration;
import java.time.Instant;

/**
 * A machine that broke.
 *
 * @param at when the machine began to count as sick
 * @param size the cloud's name of the machine's size; empty if unknown
 * @param zone the zone of the machine; empty if unknown
 */
public record Breakdown(Instant at, String size, String zone) {

    /** How long a breakdown counts. */
    public static final Duration COUNTS = Duration.ofHours(24);

    /** Whether the machine broke lately. A time in the future, from before the clock was set back, counts. */
    boolean isRecent(Instant now) {
        return now.isBefore(at.plus(COUNTS));
    }
}
