package dev.trainyard.scaler.observe;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * The mark by which the scaler says that it removes a node.
 *
 * @param reason why the node goes
 * @param since when the scaler began to keep new pods off it
 * @param byTaint whether it does so by its own taint; an early build of 0.1.0 used {@code spec.unschedulable}
 */
public record Removal(Reason reason, Instant since, boolean byTaint) {

    private static final String BY_TAINT = "taint";

    /** Of a node that the scaler taints. */
    public Removal(Reason reason, Instant since) {
        this(reason, since, true);
    }

    /** Why a node goes. */
    public enum Reason {
        IDLE("idle"),
        LAUNCH_TIMEOUT("launch-timeout"),
        /** It was usable and has not been Ready for long. */
        DEAD("dead"),
        /** Little of it is used, and what is on it fits elsewhere. */
        UNDER_UTILIZED("under-utilized"),
        /** Somebody else took it out of service and left it so, and it has been idle for long. */
        LEFT_CORDONED("left-cordoned");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** As the annotation holds it: {@code idle, 2026-01-01T10:00:00Z, taint}. */
    @Override
    public String toString() {
        return reason + ", " + since + (byTaint ? ", " + BY_TAINT : "");
    }

    /** The inverse of {@link #toString}; empty for anything else, so that a cordon marked by hand stays the hand's. */
    public static Optional<Removal> parse(String text) {
        var parts = text.split(",", 3);
        boolean byTaint = parts.length == 3 && parts[2].strip().equals(BY_TAINT);
        for (var reason : Reason.values()) {
            if ((parts.length == 2 || byTaint) && parts[0].strip().equals(reason.word)) {
                try {
                    return Optional.of(new Removal(reason, Instant.parse(parts[1].strip()), byTaint));
                } catch (DateTimeParseException e) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }
}
