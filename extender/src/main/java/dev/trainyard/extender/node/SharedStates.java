package dev.trainyard.extender.node;

import java.util.HashMap;
import java.util.Map;

/** A store that keeps one object for all equal node states in use, and one object for all equal node profiles. Not thread-safe. */
final class SharedStates {

    /**
     * The number of profiles at which all of them are forgotten. Each edit of a pool creates new profiles, and the old ones are no longer
     * used.
     */
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
     * Returns the shared object that equals {@code look}. The profile of an unlabelled node is not shared, because it is short-lived and
     * seldom equals another.
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

    /** Returns the shared object that equals {@code state}, and increments its use count. */
    IndexedState use(IndexedState state) {
        var use = uses.computeIfAbsent(state, Use::new);
        use.count++;
        return use.state;
    }

    /** Decrements the use count of {@code state}. Forgets the state at 0. */
    void release(IndexedState state) {
        uses.computeIfPresent(state, (same, use) -> --use.count == 0 ? null : use);
    }
}
