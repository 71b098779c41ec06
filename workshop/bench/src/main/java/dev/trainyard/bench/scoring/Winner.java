package dev.trainyard.bench.scoring;

import java.util.SplittableRandom;

/**
 * Finds the machine with the greatest score, as kube-scheduler's {@code selectHost} does: among equal ones at random, here from a seed.
 * Used from one thread.
 */
final class Winner {

    private final Ties ties;
    private final SplittableRandom random;
    private final int[] rankByName;
    private int best = -1;
    private long score;
    private int equals;

    /** @param rankByName the place of each machine among all names in order */
    Winner(Ties ties, long seed, int[] rankByName) {
        this.ties = ties;
        this.random = new SplittableRandom(seed);
        this.rankByName = rankByName.clone();
    }

    /** Forgets what was offered. */
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

    /** The winner; below 0 when none was offered. */
    int machine() {
        return best;
    }
}
