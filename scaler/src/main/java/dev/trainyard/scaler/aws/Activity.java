package dev.trainyard.scaler.aws;

import java.time.Instant;
import java.util.Optional;

/**
 * Something that a group did, or tried.
 *
 * @param status such as {@code Failed} or {@code WaitingForSpotInstanceId}
 * @param message why it has that status; empty when all went well
 * @param end empty while it goes on
 */
record Activity(String id, String description, String status, String message, Instant start, Optional<Instant> end) {

    /** Whether it was meant to make an instance; failed terminations are nobody's lack of capacity. */
    boolean isLaunch() {
        return description.startsWith("Launching");
    }

    boolean failed() {
        return status.equals("Failed") || status.equals("Cancelled");
    }

    /** Whether AWS has an instance for it, booting or booted. */
    boolean gotInstance() {
        return switch (status) {
            case "PreInService", "InProgress", "MidLifecycleAction", "WaitingForInstanceWarmup", "Successful" -> true;
            default -> false;
        };
    }

    /** Whether it began after {@code failure} and found an instance all the same. */
    boolean makesUpFor(Activity failure) {
        return gotInstance() && start.isAfter(failure.at());
    }

    /** When it came to be what it is; a failure keeps this time for ever. */
    Instant at() {
        return end.orElse(start);
    }
}
