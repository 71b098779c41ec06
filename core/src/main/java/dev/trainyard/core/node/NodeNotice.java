package dev.trainyard.core.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * An announcement on a Node object about the future of the node's machine.
 *
 * @param sign the taint, condition, annotation or state of the machine that announces it, as text
 * @param since when the sign appeared, or when the scaler first saw it
 * @param deadline when the machine will be gone. For {@link Kind#CHECKPOINT}, the same as {@code since}
 * @param stated whether the sign itself states the deadline; false if the deadline is assumed
 * @param firstSeen the signs on the node that do not state when they appeared, each with the time at which the scaler first saw it
 */
public record NodeNotice(
        Kind kind, String sign, Instant since, Instant deadline, boolean stated, Map<String, Instant> firstSeen) {

    /** How long after its deadline a notice counts as wrong, if the machine still exists. */
    public static final Duration OVERDUE = Duration.ofMinutes(5);

    /** How long before its deadline a reclaim is acted on. Until then, the pods keep running. */
    public static final Duration NEAR = Duration.ofMinutes(15);

    /** The most urgent notice is first. */
    public static final Comparator<NodeNotice> BY_URGENCY = Comparator.comparing(NodeNotice::kind)
            .thenComparing(NodeNotice::deadline)
            .thenComparing(notice -> !notice.stated())
            .thenComparing(NodeNotice::sign);

    public NodeNotice {
        firstSeen = Map.copyOf(firstSeen);
    }

    /** What a notice announces. The most urgent kind is first. */
    public enum Kind {
        /** The cloud reclaims the machine at the deadline. */
        RECLAIM,
        /** The cloud reclaims the machine at the deadline, which is more than {@link NodeNotice#NEAR} ahead. */
        LATER_RECLAIM,
        /** The cloud may reclaim the machine soon: trainings should save their state, but the node stays in service. */
        CHECKPOINT,
        /** A reclaim whose deadline passed {@link NodeNotice#OVERDUE} ago, while the node still exists. */
        OUTLIVED
    }

    /** Whether the machine will be gone soon, so that its pods have to leave. */
    public boolean isReclaim() {
        return kind == Kind.RECLAIM;
    }

    /** Returns when the notice stops applying if the node still exists then. */
    public Instant expiry() {
        return deadline.plus(OVERDUE);
    }

    /** Returns when the kind of the notice changes with time alone; empty if it does not. */
    public Optional<Instant> nextChange() {
        return switch (kind) {
            case RECLAIM -> Optional.of(expiry());
            case LATER_RECLAIM -> Optional.of(deadline.minus(NEAR));
            case CHECKPOINT, OUTLIVED -> Optional.empty();
        };
    }

    /** Returns a message about a notice after whose deadline the machine still exists. */
    public String outlived() {
        return "the machine still exists, although %s announced its end for %s".formatted(sign, deadline);
    }

    NodeNotice with(Map<String, Instant> allFirstSeen) {
        return new NodeNotice(kind, sign, since, deadline, stated, allFirstSeen);
    }

    /** Returns the notice as text: the sign, and the deadline if there is one. */
    @Override
    public String toString() {
        return kind == Kind.CHECKPOINT
                ? sign
                : "%s; the machine will be gone at %s (%s)".formatted(sign, deadline, stated ? "stated" : "assumed");
    }
}
