package dev.trainyard.scaler.plan;

import java.util.ArrayList;
import java.util.Arrays;

/**
 * Finds the first of many slots that has enough of everything. A tournament tree: every inner node knows the most that any slot below it
 * has of each resource, so that what is too full is passed over in large steps. Slots that have plenty of one resource and lack another, and
 * those of which the reverse is true, would together look as if they had both: so it also knows, for two resources at a time, the most that
 * any one slot has of the scarcer. A change costs O(log slots); a search seldom more.
 */
final class Tournament {

    private static final long NOTHING = -1;

    private final int axes;
    /** What each resource is multiplied by to compare it with others. */
    private final double[] weights;
    /** Two resources each. */
    private final int[][] pairs;
    /** How many numbers there are for each node: one for each resource, one for each pair. */
    private final int width;

    private final long[] wanted;
    /** A power of two. */
    private int leaves = 1;

    private long[] most;

    /** @param weights what each resource is to be multiplied by to compare it with others; 0: it is not compared */
    Tournament(double... weights) {
        this.axes = weights.length;
        this.weights = weights.clone();
        this.pairs = pairs(weights);
        this.width = axes + pairs.length;
        this.wanted = new long[width];
        this.most = new long[2 * width];
        Arrays.fill(most, NOTHING);
    }

    private static int[][] pairs(double[] weights) {
        var pairs = new ArrayList<int[]>();
        for (int one = 0; one < weights.length; one++) {
            for (int other = one + 1; other < weights.length; other++) {
                if (weights[one] > 0 && weights[other] > 0) {
                    pairs.add(new int[] {one, other});
                }
            }
        }
        return pairs.toArray(int[][]::new);
    }

    /** From now on {@code slot} has so much; it may be a new one. */
    void set(int slot, long[] amounts) {
        while (slot >= leaves) {
            grow();
        }
        write(amounts, most, (leaves + slot) * width);
        update(leaves + slot);
    }

    /** From now on {@code slot} has not even room for something that takes nothing. */
    void clear(int slot) {
        Arrays.fill(most, (leaves + slot) * width, (leaves + slot + 1) * width, NOTHING);
        update(leaves + slot);
    }

    /** Returns the first slot, not before {@code from}, that has at least so much of everything; -1 when there is none. */
    int first(long[] amounts, int from) {
        if (from >= leaves || axes == 0) {
            return -1;
        }
        write(amounts, wanted, 0);
        int node = leaves + from;
        while (true) {
            if (has(node)) {
                if (node >= leaves) {
                    return node - leaves;
                }
                node = 2 * node;
            } else {
                while ((node & 1) == 1) {
                    if (node == 1) {
                        return -1;
                    }
                    node >>= 1;
                    if (isLastOfItsRow(node)) {
                        return -1;
                    }
                }
                node++;
            }
        }
    }

    private static boolean isLastOfItsRow(int node) {
        return (node & (node + 1)) == 0;
    }

    /** What fits has as much of the scarcer of two resources, since multiplying and rounding keep the order. */
    private void write(long[] amounts, long[] to, int at) {
        System.arraycopy(amounts, 0, to, at, axes);
        for (int i = 0; i < pairs.length; i++) {
            int one = pairs[i][0];
            int other = pairs[i][1];
            to[at + axes + i] = (long) Math.min(weights[one] * amounts[one], weights[other] * amounts[other]);
        }
    }

    private boolean has(int node) {
        int at = node * width;
        for (int i = 0; i < width; i++) {
            if (most[at + i] < wanted[i]) {
                return false;
            }
        }
        return true;
    }

    private void update(int leaf) {
        for (int node = leaf >> 1; node >= 1; node >>= 1) {
            recompute(node);
        }
    }

    private void recompute(int node) {
        int left = 2 * node * width;
        int right = left + width;
        for (int i = 0; i < width; i++) {
            most[node * width + i] = Math.max(most[left + i], most[right + i]);
        }
    }

    private void grow() {
        var before = most;
        int had = leaves;
        leaves = 2 * had;
        most = new long[2 * leaves * width];
        Arrays.fill(most, NOTHING);
        System.arraycopy(before, had * width, most, leaves * width, had * width);
        for (int node = leaves - 1; node >= 1; node--) {
            recompute(node);
        }
    }
}
