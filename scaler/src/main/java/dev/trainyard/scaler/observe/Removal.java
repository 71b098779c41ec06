package dev.trainyard.scaler.observe;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * The mark by which the scaler owns a cordon: without it a cordon is an operator's and is never touched.
 *
 * @param reason why the node goes
 * @param since when it was cordoned
 */
public record Removal(Reason reason, Instant since) {

    /** Why a node goes. */
    public enum Reason {
        IDLE("idle"),
        LAUNCH_TIMEOUT("launch-timeout"),
        /** It was usable and has not been Ready for long. */
        DEAD("dead"),
        /** Little of it is used, and what is on it fits elsewhere. */
        UNDER_UTILIZED("under-utilized");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** As the annotation holds it: {@code idle, 2026-01-01T10:00:00Z}. */
    @Override
    public String toString() {
        return reason + ", " + since;
    }

    /** The inverse of {@link #toString}; empty for anything else, so that a cordon marked by hand stays the hand's. */
    public static Optional<Removal> parse(String text) {
        var parts = text.split(",", 2);
        for (var reason : Reason.values()) {
            if (parts.length == 2 && parts[0].strip().equals(reason.word)) {
                try {
                    return Optional.of(new Removal(reason, Instant.parse(parts[1].strip())));
                } catch (DateTimeParseException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }
}
