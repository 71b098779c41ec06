package dev.trainyard.scaler.plan;

import java.util.Arrays;

/**
 * Finds the first of many slots that has enough of everything. A tournament tree: every inner node knows the most that any slot below it
 * has of each resource, so that what is too full is passed over in large steps. A change costs O(log slots); a search as much, unless
 * slots have plenty of one resource and lack another in turns.
 */
final class Tournament {

    private static final long NOTHING = -1;

    private final int axes;
    /** A power of two. */
    private int leaves = 1;

    private long[] most;

    Tournament(int axes) {
        this.axes = axes;
        this.most = new long[2 * axes];
        Arrays.fill(most, NOTHING);
    }

    /** From now on {@code slot} has so much; it may be a new one. */
    void set(int slot, long[] amounts) {
        while (slot >= leaves) {
            grow();
        }
        System.arraycopy(amounts, 0, most, (leaves + slot) * axes, axes);
        update(leaves + slot);
    }

    /** From now on {@code slot} has not even room for something that takes nothing. */
    void clear(int slot) {
        Arrays.fill(most, (leaves + slot) * axes, (leaves + slot + 1) * axes, NOTHING);
        update(leaves + slot);
    }

    /** @return the first slot, not before {@code from}, that has at least so much of everything; -1 when there is none */
    int first(long[] amounts, int from) {
        if (from >= leaves || axes == 0) {
            return -1;
        }
        int node = leaves + from;
        while (true) {
            if (has(node, amounts)) {
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

    private boolean has(int node, long[] amounts) {
        int at = node * axes;
        for (int i = 0; i < axes; i++) {
            if (most[at + i] < amounts[i]) {
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
        int left = 2 * node * axes;
        int right = left + axes;
        for (int i = 0; i < axes; i++) {
            most[node * axes + i] = Math.max(most[left + i], most[right + i]);
        }
    }

    private void grow() {
        var before = most;
        int had = leaves;
        leaves = 2 * had;
        most = new long[2 * leaves * axes];
        Arrays.fill(most, NOTHING);
        System.arraycopy(before, had * axes, most, leaves * axes, had * axes);
        for (int node = leaves - 1; node >= 1; node--) {
            recompute(node);
        }
    }
}
