package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time before which a pool that failed gets no request.
 *
 * @param reason in the cloud's own words
 * @param failures the number of failures in a row, which determined the length
 */
public record BackOff(Instant until, FailureKind kind, String reason, int failures) {

    private static final int STUBBORN = 4;

    /** The largest difference between the clocks of two machines that run the scaler in turn. */
    private static final Duration SKEW = Duration.ofMinutes(1);

    /** Whether its kind usually ends by itself, and it has not lasted so long that this is doubtful. */
    public boolean mayPassSoon() {
        return switch (kind) {
            case THROTTLED, CONFLICT, TRANSIENT -> failures < STUBBORN;
            case CAPACITY, SPOT_CAPACITY, QUOTA, AUTH, INVALID_CONFIGURATION, LAUNCH_TIMEOUT -> false;
        };
    }

    /**
     * Whether a machine requested then was requested after the back-off. No machine is requested during a back-off, so all other machines
     * come from requests before it. Compares seconds, since clouds report times in seconds.
     */
    public boolean isOver(Instant ordered) {
        return !ordered.isBefore(until.truncatedTo(ChronoUnit.SECONDS));
    }

    public boolean active(Instant now) {
        return now.isBefore(until);
    }

    /** Whether it would begin only in the future, since it was recorded by a clock that was set back later. */
    boolean isAhead(Instant now) {
        return now.isBefore(until.minus(kind.backOff(failures)).minus(SKEW));
    }
}
