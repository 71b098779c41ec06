package dev.trainyard.extender.score;

import java.util.Comparator;

/**
 * A rating of nodes of one state for pods of one class; the lower one is better.
 *
 * @param level the policy's measure in coarse steps; finer ones would follow side effects of the CPU
 * @param leftover distinguishes nodes of equal level, at full resolution; without it the scheduler would choose among them at random
 */
public record Rating(long level, double leftover) implements Comparable<Rating> {

    /**
     * The rating of a node on which the pod finds no GPU, according to the index. The index may be stale, or the scheduler does not count
     * shares. Such a node ranks after all others, whatever its pool is.
     */
    static final Rating NO_ROOM = new Rating(Long.MAX_VALUE / 16, 0);

    private static final Comparator<Rating> ORDER =
            Comparator.comparingLong(Rating::level).thenComparingDouble(Rating::leftover);

    @Override
    public int compareTo(Rating other) {
        return ORDER.compare(this, other);
    }
}
