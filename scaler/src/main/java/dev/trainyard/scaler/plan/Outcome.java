package dev.trainyard.scaler.plan;

import dev.trainyard.core.Trap;
import java.util.Optional;

/** What a round found for a waiting pod: exactly one of these. */
public sealed interface Outcome {

    /** For people. */
    String message();

    /** What is done about the pod, in a word of metrics and of the status page. */
    default String word() {
        if (this instanceof Unplaced unplaced) {
            return unplaced.reason().toString();
        }
        if (this instanceof OnNode) {
            return "on-node";
        }
        if (this instanceof Upcoming) {
            return "upcoming";
        }
        return this instanceof Growing ? "growing" : "not-ours";
    }

    /**
     * There is room on a node that exists; the scheduler will find it.
     *
     * @param caveat what was left out of account, in brackets; usually empty
     * @param verdict what the scheduler last said
     */
    record OnNode(String node, String caveat, String verdict) implements Outcome {
        @Override
        public String message() {
            return "node %s has room for it%s; the scheduler last said: %s".formatted(node, caveat, verdict);
        }
    }

    /**
     * A machine that has been asked for will have room.
     *
     * @param machine which of the pool's: the name of its node when that has joined, else a number of this plan's own, such as {@code #2}
     * @param caveat what was left out of account, in brackets; usually empty
     */
    record Upcoming(String pool, String machine, String caveat) implements Outcome {
        @Override
        public String message() {
            return "a machine of pool %s is on its way%s".formatted(pool, caveat);
        }
    }

    /**
     * A machine is asked for in this round.
     *
     * @param machine which of those that the pool grows by, from 1
     * @param caveat what was left out of account, in brackets; usually empty
     */
    record Growing(String pool, int machine, String caveat) implements Outcome {
        @Override
        public String message() {
            return "a machine of pool %s is asked for%s".formatted(pool, caveat);
        }
    }

    /** Nothing can be done for it now. */
    record Unplaced(Reason reason, String message) implements Outcome {}

    /** A pod of another scheduler that names no tier and that no pool could run. It gets no Event, but shows in {@code status}. */
    record NotOurs(String message) implements Outcome {}

    /** Why nothing can be done; the words of metrics. */
    enum Reason {
        NO_SUCH_TIER("no-such-tier"),
        FITS_NO_POOL("fits-no-pool"),
        AT_MAXIMUM("at-maximum"),
        BACKED_OFF("backed-off"),
        UNREADABLE("unreadable"),
        /** The cloud is being asked, and has taken no longer than usual: it is not worth an Event. */
        ASKING("asking"),
        /** Other pods have something against it on every machine that there is or could be. */
        OTHER_PODS("other-pods"),
        /** It waits for something else than room. */
        BLOCKED("blocked"),
        /** It is not important enough to buy for. */
        BELOW_CUTOFF("below-cutoff"),
        /** Its gang is not complete, or nobody can tell when it is. */
        GANG("gang");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        /** Where it is explained; empty for what needs no more words. */
        public Optional<Trap> trap() {
            return switch (this) {
                case NO_SUCH_TIER -> Optional.of(Trap.NO_SUCH_TIER);
                case FITS_NO_POOL -> Optional.of(Trap.FITS_NO_POOL);
                case AT_MAXIMUM -> Optional.of(Trap.POOL_AT_MAXIMUM);
                case BACKED_OFF -> Optional.of(Trap.SPOT_NOT_TO_BE_HAD);
                case UNREADABLE -> Optional.of(Trap.CLOUD_CANNOT_BE_READ);
                case GANG -> Optional.of(Trap.GANG_WAITS);
                case ASKING, OTHER_PODS, BLOCKED, BELOW_CUTOFF -> Optional.empty();
            };
        }

        @Override
        public String toString() {
            return word;
        }
    }
}
