package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time before which a pool that failed gets no request.
 *
 * @param reason the reason in the cloud's own words
 * @param failures the number of failures in a row, which determines the length of the back-off
 */
public record BackOff(Instant until, FailureKind kind, String reason, int failures) {

    private static final int STUBBORN = 4;

    /** The largest assumed difference between the clocks of two machines that run the scaler in turn. */
    private static final Duration SKEW = Duration.ofMinutes(1);

    /** Whether the cause usually ends by itself. False after several failures in a row, which make this doubtful. */
    public boolean mayPassSoon() {
        return switch (kind) {
            case THROTTLED, CONFLICT, TRANSIENT -> failures < STUBBORN;
            case CAPACITY, SPOT_CAPACITY, QUOTA, AUTH, INVALID_CONFIGURATION, LAUNCH_TIMEOUT -> false;
        };
    }

    /**
     * Whether a machine that was requested at {@code ordered} was requested after the back-off. No machine is requested during a back-off,
     * so all other machines come from requests before the back-off. Compares seconds, since clouds report times in seconds.
     */
    public boolean isOver(Instant ordered) {
        return !ordered.isBefore(until.truncatedTo(ChronoUnit.SECONDS));
    }

    public boolean active(Instant now) {
        return now.isBefore(until);
    }

    /** Whether the back-off would begin only in the future: the clock was set back after the back-off was recorded. */
    boolean isAhead(Instant now) {
        return now.isBefore(until.minus(kind.backOff(failures)).minus(SKEW));
    }
}
