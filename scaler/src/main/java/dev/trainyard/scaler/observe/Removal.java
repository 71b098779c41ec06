package dev.trainyard.scaler.observe;

import java.time.Instant;
import java.util.Optional;

/**
 * The mark of a node that the scaler is removing, stored as an annotation.
 *
 * @param reason why the node is removed
 * @param since when the scaler began to keep new pods off the node, by its own taint
 */
public record Removal(Reason reason, Instant since) {

    private static final String BY_TAINT = "taint";

    /** A reason to remove a node. */
    public enum Reason {
        IDLE("idle"),
        LAUNCH_TIMEOUT("launch-timeout"),
        /** The node was usable, and has not been Ready for a long time. */
        DEAD("dead"),
        /** Little of the node is used, and its pods fit elsewhere. */
        UNDER_UTILIZED("under-utilized"),
        /** The node's pods return to spot machines, which are usable and have room for them. */
        RETURN_TO_SPOT("return-to-spot"),
        /** A person or another tool took the node out of service, and it has been idle for a long time since. */
        LEFT_CORDONED("left-cordoned"),
        /** The cloud has announced a reclaim of the machine. */
        RECLAIM_ANNOUNCED("reclaim-announced"),
        /** The machine is broken. */
        SICK("sick");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** Whether the node's pods are moved to other machines, which is cancelled if a pod may not or cannot move. */
    public boolean movesPods() {
        return reason == Reason.UNDER_UTILIZED || reason == Reason.RETURN_TO_SPOT;
    }

    /** Returns the annotation's value: {@code idle, 2026-01-01T10:00:00Z, taint}. */
    @Override
    public String toString() {
        return "%s, %s, %s".formatted(reason, since, BY_TAINT);
    }

    /** Parses the result of {@link #toString}; returns empty for any other text. A node with such a text counts as not marked. */
    public static Optional<Removal> parse(String text) {
        var parts = text.split(",", 3);
        if (parts.length != 3 || !parts[2].strip().equals(BY_TAINT)) {
            return Optional.empty();
        }
        for (var reason : Reason.values()) {
            if (parts[0].strip().equals(reason.word)) {
                return PodReading.time(parts[1].strip()).map(since -> new Removal(reason, since));
            }
        }
        return Optional.empty();
    }
}
