package dev.trainyard.scaler.ledger;

import dev.trainyard.scaler.provider.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A period in which a pool that failed gets no request, and the reason for it.
 *
 * @param reason the message of the failure, usually in the cloud's own words
 * @param failures the number of failures in a row, which determines the length of the back-off
 */
public record BackOff(Instant until, FailureKind kind, String reason, int failures) {

    private static final int STUBBORN = 4;

    /** The largest assumed difference between the clocks of two machines that run the scaler in turn. */
    private static final Duration SKEW = Duration.ofMinutes(1);

    /**
     * Whether the cause of the failure usually ends by itself. False after several failures in a row, since these make an early end
     * doubtful.
     */
    public boolean mayPassSoon() {
        return switch (kind) {
            case THROTTLED, CONFLICT, TRANSIENT -> failures < STUBBORN;
            case CAPACITY, SPOT_CAPACITY, QUOTA, AUTH, INVALID_CONFIGURATION, LAUNCH_TIMEOUT -> false;
        };
    }

    /**
     * Whether {@code ordered}, the time of a request, is after the back-off. A pool gets no request during its back-off, so a request
     * that is not after the back-off was made before it. The end of the back-off is rounded down to seconds, since clouds report times in
     * seconds.
     */
    public boolean isOver(Instant ordered) {
        return !ordered.isBefore(until.truncatedTo(ChronoUnit.SECONDS));
    }

    public boolean active(Instant now) {
        return now.isBefore(until);
    }

    /** Whether the recorded back-off begins in the future. This happens if the clock was set back after the back-off was recorded. */
    boolean isAhead(Instant now) {
        return now.isBefore(until.minus(kind.backOff(failures)).minus(SKEW));
    }
}
