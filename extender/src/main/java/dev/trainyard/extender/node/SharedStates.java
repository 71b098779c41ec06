package dev.trainyard.extender.node;

import java.util.HashMap;
import java.util.Map;

/** A store with one object for all equal states in use, and one for all equal looks. Not thread-safe. */
final class SharedStates {

    /** The limit at which all looks are forgotten: each edit of a pool creates new ones, and old ones are no longer used. */
    private static final int MOST_LOOKS = 10_000;

    private static final class Use {
        private final IndexedState state;
        private int count;

        Use(IndexedState state) {
            this.state = state;
        }
    }

    private final Map<IndexedState, Use> uses = new HashMap<>();
    private final Map<NodeProfile, NodeProfile> looks = new HashMap<>();

    /**
     * Returns the one object that equals {@code look}. The look of an unlabelled node is not shared: it is seldom equal to another, and
     * short-lived.
     */
    NodeProfile one(NodeProfile look) {
        if (look.unlabelled() != null) {
            return look;
        }
        if (looks.size() >= MOST_LOOKS) {
            looks.clear();
        }
        return looks.computeIfAbsent(look, same -> same);
    }

    /** Returns the one object that equals {@code state}, and counts one more use. */
    IndexedState use(IndexedState state) {
        var use = uses.computeIfAbsent(state, Use::new);
        use.count++;
        return use.state;
    }

    /** Counts one use less. */
    void release(IndexedState state) {
        uses.computeIfPresent(state, (same, use) -> --use.count == 0 ? null : use);
    }
}
