package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A pool that failed is not asked again before {@code until}.
 *
 * @param reason in the cloud's own words
 * @param failures in a row, from which the length followed
 */
public record BackOff(Instant until, FailureKind kind, String reason, int failures) {

    private static final int STUBBORN = 4;

    /** By so much the clocks of two machines may differ on which the scaler runs in turn. */
    private static final Duration SKEW = Duration.ofMinutes(1);

    /** Whether it is of a kind that passes by itself, and has not yet lasted long enough to doubt that. */
    public boolean mayPassSoon() {
        return switch (kind) {
            case THROTTLED, CONFLICT, TRANSIENT -> failures < STUBBORN;
            case CAPACITY, SPOT_CAPACITY, QUOTA, AUTH, INVALID_CONFIGURATION, LAUNCH_TIMEOUT -> false;
        };
    }

    /**
     * Whether a machine ordered then was ordered after this. Nothing is ordered while a pool backs off, so that all else comes of orders from
     * before it. To the second, since clouds tell times to the second.
     */
    public boolean isOver(Instant ordered) {
        return !ordered.isBefore(until.truncatedTo(ChronoUnit.SECONDS));
    }

    public boolean active(Instant now) {
        return now.isBefore(until);
    }

    /** Whether it would begin only later, and was so noted by a clock that was set back since. */
    boolean isAhead(Instant now) {
        return now.isBefore(until.minus(kind.backOff(failures)).minus(SKEW));
    }
}
