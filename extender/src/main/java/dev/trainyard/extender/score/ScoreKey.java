package dev.trainyard.extender.score;

import java.util.Comparator;

/**
 * How good a node is for a pod; the lesser is the better, and an earlier member outweighs all later ones.
 *
 * @param preference place of the node's pool in the pod's tier
 * @param level the policy's measure in coarse steps; finer ones would chase side effects of the CPU
 * @param leftover what tells nodes of equal level apart, at full resolution: without it the scheduler picks among them at random
 */
public record ScoreKey(int preference, long level, double leftover) implements Comparable<ScoreKey> {

    private static final Comparator<ScoreKey> ORDER = Comparator.comparingInt(ScoreKey::preference)
            .thenComparingLong(ScoreKey::level)
            .thenComparingDouble(ScoreKey::leftover);

    @Override
    public int compareTo(ScoreKey other) {
        return ORDER.compare(this, other);
    }
}
