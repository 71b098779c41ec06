package dev.trainyard.scaler.plan;

/** What a round found for a waiting pod: exactly one of these. */
public sealed interface Outcome {

    /** For people. */
    String message();

    /** There is room on a node that exists; the scheduler will find it. */
    record OnNode(String node, String message) implements Outcome {}

    /** A machine that has been asked for will have room. */
    record Upcoming(String pool, String message) implements Outcome {}

    /**
     * A machine is asked for in this round.
     *
     * @param caveat what was left out of account, in brackets; usually empty
     */
    record Growing(String pool, String caveat) implements Outcome {
        @Override
        public String message() {
            return "a machine of pool %s is asked for%s".formatted(pool, caveat);
        }
    }

    /** Nothing can be done for it now. */
    record Unplaced(Reason reason, String message) implements Outcome {}

    /** A pod of another scheduler that no pool could run: none of our business. */
    record NotOurs(String message) implements Outcome {}

    /** Why nothing can be done; the words of metrics. */
    enum Reason {
        NO_SUCH_TIER("no-such-tier"),
        FITS_NO_POOL("fits-no-pool"),
        AT_MAXIMUM("at-maximum"),
        BACKED_OFF("backed-off"),
        UNREADABLE("unreadable"),
        /** It waits for something else than room. */
        BLOCKED("blocked");

        private final String word;

        Reason(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }
}
