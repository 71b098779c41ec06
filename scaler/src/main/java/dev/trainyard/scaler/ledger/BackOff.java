package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.FailureKind;
import java.time.Instant;

/**
 * A pool that failed is not asked again before {@code until}.
 *
 * @param reason in the cloud's own words
 * @param failures in a row, from which the length followed
 */
public record BackOff(Instant until, FailureKind kind, String reason, int failures) {

    public boolean active(Instant now) {
        return now.isBefore(until);
    }
}
