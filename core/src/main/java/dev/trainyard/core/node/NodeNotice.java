package dev.trainyard.core.node;

import java.time.Duration;
import java.time.Instant;

/**
 * An announcement on a Node object about the future of the node's machine.
 *
 * @param sign the taint, condition or annotation that announces it, as text
 * @param since when the sign appeared, or when the scaler first saw it
 * @param deadline when the machine will be gone. For {@link Kind#CHECKPOINT}, the same as {@code since}
 * @param stated whether the sign itself states the deadline; false if the deadline is assumed
 */
public record NodeNotice(Kind kind, String sign, Instant since, Instant deadline, boolean stated) {

    /** How long after its deadline a notice counts as wrong, if the machine still exists. */
    public static final Duration OVERDUE = Duration.ofMinutes(5);

    /** What a notice announces. */
    public enum Kind {
        /** The cloud reclaims the machine at the deadline. */
        RECLAIM,
        /** The cloud may reclaim the machine soon: trainings should save their state, but the node stays in service. */
        CHECKPOINT,
        /** A reclaim whose deadline passed {@link NodeNotice#OVERDUE} ago, while the node still exists. */
        OUTLIVED
    }

    /** Returns when the notice stops applying if the node still exists then. */
    public Instant expiry() {
        return deadline.plus(OVERDUE);
    }

    /** Returns the notice as text: the sign, and the deadline if there is one. */
    @Override
    public String toString() {
        return kind == Kind.CHECKPOINT
                ? sign
                : "%s; the machine will be gone at %s (%s)".formatted(sign, deadline, stated ? "stated" : "assumed");
    }
}
