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
 * @param deadline for an announced reclaim, when the machine will be gone. For any other kind, the time from which on the notice counts: a
 *     machine counts as sick from then on, or as intact ({@link Kind#RECOVERING}). For {@link Kind#CHECKPOINT}, the same as {@code since}
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
        /** The machine is broken: its pods leave, and it is replaced. */
        SICK,
        /** The machine is broken and takes no new pods, but it is not replaced now. */
        SICK_LATER,
        /** The machine was broken and no longer shows a sign of it, but has not been without one for long enough. */
        RECOVERING,
        /** The cloud reclaims the machine at the deadline, which is more than {@link NodeNotice#NEAR} ahead. */
        LATER_RECLAIM,
        /** The cloud may reclaim the machine soon: trainings should save their state, but the node stays in service. */
        CHECKPOINT,
        /** The machine shows a sign that it is broken, but has not shown it for long enough. */
        SUSPECT,
        /** A reclaim whose deadline passed {@link NodeNotice#OVERDUE} ago, while the node still exists. */
        OUTLIVED
    }

    /** Whether the machine will be gone soon, so that its pods have to leave. */
    public boolean isReclaim() {
        return kind == Kind.RECLAIM;
    }

    /** Whether the machine is broken, so that no pod is placed on it. */
    public boolean isSick() {
        return kind == Kind.SICK || kind == Kind.SICK_LATER;
    }

    /** Whether the pods have to leave the machine: the cloud reclaims the machine, or it is replaced because it is broken. */
    public boolean emptiesMachine() {
        return isReclaim() || kind == Kind.SICK;
    }

    /** Whether the pods should save their state now, although they may stay: the machine may be gone soon, or is broken. */
    public boolean asksForCheckpoint() {
        return isSick() || kind == Kind.CHECKPOINT || kind == Kind.LATER_RECLAIM;
    }

    /** Whether the sign is a label. A tool that labels a broken node, such as NVSentinel, cordons it too. */
    public boolean isLabel() {
        return sign.startsWith(NoticeEntry.Sign.LABEL + " ");
    }

    /** Returns the same notice of a broken machine that is not replaced now. */
    public NodeNotice later() {
        return new NodeNotice(Kind.SICK_LATER, sign, since, deadline, stated, firstSeen);
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
            case SUSPECT, RECOVERING -> Optional.of(deadline);
            case SICK, SICK_LATER, CHECKPOINT, OUTLIVED -> Optional.empty();
        };
    }

    /** Returns a message about a notice after whose deadline the machine still exists. */
    public String outlived() {
        return "the machine still exists, although %s announced its end for %s".formatted(sign, deadline);
    }

    NodeNotice with(Map<String, Instant> allFirstSeen) {
        return new NodeNotice(kind, sign, since, deadline, stated, allFirstSeen);
    }

    /** Returns the notice as text: the sign, and its consequence if there is one. */
    @Override
    public String toString() {
        return switch (kind) {
            case CHECKPOINT -> sign;
            case SICK, SICK_LATER -> "the machine is sick: %s since %s".formatted(sign, since);
            case SUSPECT -> "%s; the machine counts as sick from %s on".formatted(sign, deadline);
            case RECOVERING -> "%s since %s; the machine counts as intact from %s on".formatted(sign, since, deadline);
            case RECLAIM, LATER_RECLAIM, OUTLIVED ->
                "%s; the machine will be gone at %s (%s)".formatted(sign, deadline, stated ? "stated" : "assumed");
        };
    }
}
