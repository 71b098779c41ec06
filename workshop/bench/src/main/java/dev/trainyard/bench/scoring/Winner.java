package dev.trainyard.bench.scoring;

import java.util.SplittableRandom;

/**
 * A search for the machine with the highest score, like kube-scheduler's {@code selectHost}. Random tie-breaks depend only on the seed. Not
 * thread-safe.
 */
final class Winner {

    private final Ties ties;
    private final SplittableRandom random;
    private final int[] rankByName;
    private int best = -1;
    private long score;
    private int equals;

    /** @param rankByName rank of each machine in the order of names */
    Winner(Ties ties, long seed, int[] rankByName) {
        this.ties = ties;
        this.random = new SplittableRandom(seed);
        this.rankByName = rankByName.clone();
    }

    /** Starts a new search. */
    Winner start() {
        best = -1;
        return this;
    }

    void offer(int machine, long itsScore) {
        if (best < 0 || itsScore > score) {
            best = machine;
            score = itsScore;
            equals = 1;
        } else if (itsScore == score) {
            equals++;
            boolean takesOver =
                    ties == Ties.RANDOM ? random.nextInt(equals) == 0 : rankByName[machine] < rankByName[best];
            best = takesOver ? machine : best;
        }
    }

    /** Returns the best machine; negative if none was offered. */
    int machine() {
        return best;
    }
}
