package dev.trainyard.scaler.provider;

import dev.trainyard.core.Durations;
import dev.trainyard.core.TroubleshootingTopic;
import java.time.Duration;
import java.util.Optional;

/** The kinds of failures of a cloud. Each kind needs a different reaction. */
public enum FailureKind {
    /** No machines of that size are left. */
    CAPACITY("capacity", true, Duration.ofMinutes(1), Duration.ofMinutes(15)),
    /** No spot machines of that size are left. */
    SPOT_CAPACITY("spot-capacity", true, Duration.ofMinutes(1), Duration.ofMinutes(15)),
    /** The account's quota does not allow so many machines. */
    QUOTA("quota", true, Duration.ofMinutes(5), Duration.ofMinutes(30)),
    /** The API is throttled. */
    THROTTLED("throttled", false, Duration.ofSeconds(5), Duration.ofMinutes(2)),
    /** Access is denied, or the credentials are unknown. */
    AUTH("auth", false, Duration.ofSeconds(30), Duration.ofMinutes(10)),
    /** The configuration of the pool or of its cloud resource is invalid. */
    INVALID_CONFIGURATION("invalid-configuration", true, Duration.ofMinutes(1), Duration.ofMinutes(30)),
    /** The cloud resource changed after the last read, or another operation on it is still running. */
    CONFLICT("conflict", false, Duration.ofSeconds(2), Duration.ofMinutes(1)),
    /** A machine was launched but was not usable in time: its kubelet did not join, or its node did not report the GPUs. */
    LAUNCH_TIMEOUT("launch-timeout", false, Duration.ofMinutes(1), Duration.ofMinutes(30)),
    /** Any failure that may end by itself. */
    TRANSIENT("transient", false, Duration.ofSeconds(5), Duration.ofMinutes(5));

    private final String word;
    private final boolean unfillable;
    private final Duration firstBackOff;
    private final Duration longestBackOff;

    FailureKind(String word, boolean unfillable, Duration firstBackOff, Duration longestBackOff) {
        this.word = word;
        this.unfillable = unfillable;
        this.firstBackOff = firstBackOff;
        this.longestBackOff = longestBackOff;
    }

    /**
     * Whether the cloud will not deliver the missing machines. The scaler then withdraws the request and tries another pool. After any
     * other failure, the cloud may still deliver machines, so the request is not withdrawn.
     */
    public boolean unfillable() {
        return unfillable;
    }

    /** Whether the cloud delivered no machine, or none that was usable in time. Such failures say how well the pool delivers. */
    public boolean isFailedLaunch() {
        return switch (this) {
            case CAPACITY, SPOT_CAPACITY, LAUNCH_TIMEOUT -> true;
            case QUOTA, THROTTLED, AUTH, INVALID_CONFIGURATION, CONFLICT, TRANSIENT -> false;
        };
    }

    /** Returns the back-off after this many failures in a row. Each failure doubles the back-off, up to a limit. */
    public Duration backOff(int failures) {
        return Durations.doubled(firstBackOff, failures - 1, longestBackOff);
    }

    /** Returns the troubleshooting topic; empty for failures that end by themselves. */
    public Optional<TroubleshootingTopic> trap() {
        return switch (this) {
            case CAPACITY, SPOT_CAPACITY -> Optional.of(TroubleshootingTopic.SPOT_NOT_TO_BE_HAD);
            case QUOTA -> Optional.of(TroubleshootingTopic.OVER_QUOTA);
            case THROTTLED -> Optional.of(TroubleshootingTopic.ASKED_TOO_OFTEN);
            case AUTH -> Optional.of(TroubleshootingTopic.CLOUD_RIGHTS);
            case INVALID_CONFIGURATION -> Optional.of(TroubleshootingTopic.POOL_MISCONFIGURED);
            case LAUNCH_TIMEOUT -> Optional.of(TroubleshootingTopic.MACHINE_NEVER_USABLE);
            case CONFLICT, TRANSIENT -> Optional.empty();
        };
    }

    /** Returns the word for the kind in statuses, metrics and logs, such as {@code spot-capacity}. */
    @Override
    public String toString() {
        return word;
    }

    /** Parses the result of {@link #toString}. An unknown word, perhaps from another version of Trainyard, becomes {@link #TRANSIENT}. */
    public static FailureKind ofWord(String word) {
        for (var kind : values()) {
            if (kind.word.equals(word)) {
                return kind;
            }
        }
        return TRANSIENT;
    }
}
