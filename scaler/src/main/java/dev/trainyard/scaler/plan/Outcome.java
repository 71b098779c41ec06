package dev.trainyard.scaler.plan;

import dev.trainyard.core.TroubleshootingTopic;
import java.util.Optional;

/** The result of a round (one pass of the scaler's loop) for one pending pod. */
public sealed interface Outcome {

    /** Returns the message for users. */
    String message();

    /** Whether the pod has a place, on an existing machine or on one that is requested. */
    default boolean isPlaced() {
        return this instanceof OnNode || this instanceof Held || this instanceof Upcoming || this instanceof Growing;
    }

    /** Returns the outcome as one word, for metrics and the status page. */
    default String word() {
        if (this instanceof Unplaced unplaced) {
            return unplaced.reason().toString();
        }
        if (this instanceof OnNode) {
            return "on-node";
        }
        if (this instanceof Held) {
            return "held";
        }
        if (this instanceof Upcoming) {
            return "upcoming";
        }
        return this instanceof Growing ? "growing" : "not-ours";
    }

    /**
     * An existing node has room for the pod, and the scheduler is expected to use it.
     *
     * @param caveat the pod's constraints that planning does not model, in brackets; usually empty
     * @param verdict the scheduler's last message
     */
    record OnNode(String node, String caveat, String verdict) implements Outcome {
        @Override
        public String message() {
            return "node %s has room for the pod%s; the scheduler last reported: %s".formatted(node, caveat, verdict);
        }
    }

    /**
     * An existing node has room for the pod, whose scheduling gate holds it until all pods of its gang have room on nodes.
     *
     * @param gang the gang's name in messages
     * @param ready how many pods of the gang have room on nodes
     * @param pods how many pods of the gang are pending
     */
    record Held(String node, String gang, int ready, int pods) implements Outcome {

        /** Whether all pods of the gang have room on nodes. */
        public boolean isReady() {
            return ready >= pods;
        }

        /** Returns the message of an Event. It is equal in all rounds, so a pod gets one Event and not one for each machine that joins. */
        public String notice() {
            return "the pod waits until all %d pending pods of gang %s have room on nodes; machines are provisioning"
                    .formatted(pods, gang);
        }

        @Override
        public String message() {
            return !isReady()
                    ? "node %s has room for the pod; the pod waits until all pods of gang %s have room: %d of %d have room on nodes now"
                            .formatted(node, gang, ready, pods)
                    : "node %s has room for the pod, and all %d pods of gang %s have room".formatted(node, pods, gang);
        }
    }

    /**
     * A machine that was requested earlier will have room for the pod.
     *
     * @param machine the name of the machine's node if the node has joined, else a number that only this plan uses, such as {@code #2}
     * @param caveat the pod's constraints that planning does not model, in brackets; usually empty
     */
    record Upcoming(String pool, String machine, String caveat) implements Outcome {
        @Override
        public String message() {
            return "a machine of pool %s is provisioning%s".formatted(pool, caveat);
        }
    }

    /**
     * A machine for the pod is requested in this round.
     *
     * @param machine the number of the machine among the pool's new ones, from 1
     * @param caveat the pod's constraints that planning does not model, in brackets; usually empty
     */
    record Growing(String pool, int machine, String caveat) implements Outcome {
        @Override
        public String message() {
            return "a machine of pool %s is requested%s".formatted(pool, caveat);
        }
    }

    /** No machine can be provided for the pod now. */
    record Unplaced(Reason reason, String message) implements Outcome {}

    /**
     * The pod is for another scheduler, names no tier, and fits no pool. Such a pod gets no Event, but the command {@code status} lists the
     * pod.
     */
    record NotOurs(String message) implements Outcome {}

    /** The reason why a pod stays unplaced. Each reason has a word, which metrics use too. */
    enum Reason {
        NO_SUCH_TIER("no-such-tier"),
        FITS_NO_POOL("fits-no-pool"),
        AT_MAXIMUM("at-maximum"),
        BACKED_OFF("backed-off"),
        UNREADABLE("unreadable"),
        /**
         * The pool has been unreadable for a few seconds at most, or the object that describes the pod's gang has not been read yet. No Event
         * is recorded.
         */
        ASKING("asking"),
        /** Inter-pod constraints rule out every existing and every new machine. */
        OTHER_PODS("other-pods"),
        /** The pod is pending for a reason other than a lack of room. */
        BLOCKED("blocked"),
        /** The pod's priority is too low to request a machine. */
        BELOW_CUTOFF("below-cutoff"),
        /** The pod waits for a spot machine, because its training is ahead of its deadline. */
        AHEAD_OF_DEADLINE("ahead-of-deadline"),
        /** The pod's gang is incomplete or invalid. */
        GANG("gang");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        /** Returns the troubleshooting topic that explains the reason; empty if there is none. */
        public Optional<TroubleshootingTopic> trap() {
            return switch (this) {
                case NO_SUCH_TIER -> Optional.of(TroubleshootingTopic.NO_SUCH_TIER);
                case FITS_NO_POOL -> Optional.of(TroubleshootingTopic.FITS_NO_POOL);
                case AT_MAXIMUM -> Optional.of(TroubleshootingTopic.POOL_AT_MAXIMUM);
                case BACKED_OFF -> Optional.of(TroubleshootingTopic.SPOT_NOT_TO_BE_HAD);
                case UNREADABLE -> Optional.of(TroubleshootingTopic.CLOUD_CANNOT_BE_READ);
                case GANG -> Optional.of(TroubleshootingTopic.GANG_WAITS);
                case ASKING, OTHER_PODS, BLOCKED, BELOW_CUTOFF, AHEAD_OF_DEADLINE -> Optional.empty();
            };
        }

        @Override
        public String toString() {
            return word;
        }
    }
}
