package dev.trainyard.emulator.aws;

import java.time.Instant;

/**
 * A scaling activity.
 *
 * @param message empty unless it failed
 * @param cause what led to it
 * @param at when it began, and, unless it goes on, ended
 */
record EmulatedActivity(String id, String description, String status, String message, String cause, Instant at) {

    boolean goesOn() {
        return switch (status) {
            case "Successful", "Failed", "Cancelled" -> false;
            default -> true;
        };
    }
}
