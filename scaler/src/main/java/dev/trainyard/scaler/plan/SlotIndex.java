package dev.trainyard.scaler.plan;

import java.util.ArrayList;
import java.util.Arrays;

/**
 * A tournament tree that finds the first of many slots with enough of every resource. Every inner node of the tree holds the maximum amount
 * of each resource in the slots below the node. So a search skips full slots in large steps. But the maxima of two resources may come from
 * two slots, and each of these slots may lack the other resource. A slot has enough of both only if the smaller of its two weighted amounts
 * is large enough. So each node also holds the maximum of this smaller amount, for each pair of resources and for each of several {@link
 * #RATES}. A change costs O(log slots), and a search seldom costs more.
 */
final class SlotIndex {

    private static final long NOTHING = -1;

    /**
     * Factors by which the first resource of a pair is multiplied before it is compared with the second. A request is judged most exactly
     * if the factor makes the request's two amounts equal, and requests differ in their ratio of, say, CPU to memory.
     */
    private static final double[] RATES = {1 / 27.0, 1 / 9.0, 1 / 3.0, 1, 3, 9, 27};

    private final int axes;
    /** Factors that make amounts of different resources comparable. */
    private final double[] weights;
    /** Pairs of indexes of resources. */
    private final int[][] pairs;
    /** How many numbers each node of the tree holds: one for each resource, and one for each pair and rate. */
    private final int width;

    private final long[] wanted;
    /** The number of leaves; a power of two. */
    private int leaves = 1;

    private long[] most;

    /** @param weights factors that make amounts of different resources comparable; 0 for a resource that is not compared */
    SlotIndex(double... weights) {
        this.axes = weights.length;
        this.weights = weights.clone();
        this.pairs = pairs(weights);
        this.width = axes + pairs.length * RATES.length;
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

    /** Sets the amounts of a slot, which may be a new one. */
    void set(int slot, long[] amounts) {
        while (slot >= leaves) {
            grow();
        }
        write(amounts, most, (leaves + slot) * width);
        update(leaves + slot);
    }

    /** Clears a slot. Afterwards the slot fits no request, not even an empty one. */
    void clear(int slot) {
        Arrays.fill(most, (leaves + slot) * width, (leaves + slot + 1) * width, NOTHING);
        update(leaves + slot);
    }

    /** Returns the first slot at or after {@code from} that has at least these amounts; -1 if there is none. */
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

    /**
     * Writes the amounts, and for each pair of resources and each rate the smaller weighted amount. Multiplication and rounding preserve
     * the order of amounts, so the search never misses a slot that fits.
     */
    private void write(long[] amounts, long[] to, int at) {
        System.arraycopy(amounts, 0, to, at, axes);
        int next = at + axes;
        for (var pair : pairs) {
            double one = weights[pair[0]] * amounts[pair[0]];
            double other = weights[pair[1]] * amounts[pair[1]];
            for (double rate : RATES) {
                to[next++] = (long) Math.min(rate * one, other);
            }
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
        int node = leaf >> 1;
        while (node >= 1 && recompute(node)) {
            node >>= 1;
        }
    }

    /** Computes the maxima of a node from the two nodes below it. Returns whether any maximum has changed. */
    private boolean recompute(int node) {
        int left = 2 * node * width;
        int right = left + width;
        boolean changed = false;
        for (int i = 0; i < width; i++) {
            long max = Math.max(most[left + i], most[right + i]);
            changed |= most[node * width + i] != max;
            most[node * width + i] = max;
        }
        return changed;
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
