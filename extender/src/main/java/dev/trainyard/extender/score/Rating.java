package dev.trainyard.extender.score;

/**
 * A rating of one node state for pods of one class; a lower rating is better.
 *
 * @param level the policy's measure, in steps that hide insignificant differences, such as those in free CPU
 * @param leftover the second criterion, for nodes of equal level, at full resolution; without it, the scheduler would choose among these
 *     nodes at random
 */
public record Rating(long level, double leftover) implements Comparable<Rating> {

    /**
     * The rating of a node without free GPUs for the pod, according to the index. The scheduler may offer such a node, because the index
     * may be stale and because the scheduler does not count shares. The node ranks after all others, whatever its pool is.
     */
    static final Rating NO_ROOM = new Rating(Long.MAX_VALUE / 16, 0);

    @Override
    public int compareTo(Rating other) {
        return compare(level, leftover, other.level, other.leftover);
    }

    static int compare(long level, double leftover, long otherLevel, double otherLeftover) {
        int order = Long.compare(level, otherLevel);
        return order != 0 ? order : Double.compare(leftover, otherLeftover);
    }
}
