package dev.trainyard.emulator.aws;

import java.time.Instant;

/**
 * A scaling activity.
 *
 * @param message the reason of a failure; empty unless the activity failed
 * @param cause the reason of the activity, in AWS's words
 * @param at when the activity began; a finished activity ended at the same time
 */
record EmulatedActivity(String id, String description, String status, String message, String cause, Instant at) {

    boolean goesOn() {
        return switch (status) {
            case "Successful", "Failed", "Cancelled" -> false;
            default -> true;
        };
    }
}
