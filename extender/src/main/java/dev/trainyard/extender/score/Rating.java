package dev.trainyard.extender.score;

import java.util.Comparator;

/**
 * How good nodes of one state are for pods of one class; the lesser is the better.
 *
 * @param level the policy's measure in coarse steps; finer ones would chase side effects of the CPU
 * @param leftover what tells nodes of equal level apart, at full resolution: without it the scheduler picks among them at random
 */
public record Rating(long level, double leftover) implements Comparable<Rating> {

    /**
     * Of a node on which the pod finds no GPU, as far as the index knows: it is behind, or the scheduler does not count shares. Such a node
     * comes after all others, whichever pool it belongs to.
     */
    static final Rating NO_ROOM = new Rating(Long.MAX_VALUE / 16, 0);

    private static final Comparator<Rating> ORDER =
            Comparator.comparingLong(Rating::level).thenComparingDouble(Rating::leftover);

    @Override
    public int compareTo(Rating other) {
        return ORDER.compare(this, other);
    }
}
