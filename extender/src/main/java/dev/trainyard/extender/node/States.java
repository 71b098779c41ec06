package dev.trainyard.extender.node;

import java.util.HashMap;
import java.util.Map;

/** Keeps one object for all equal states that are in use. Not thread-safe. */
final class States {

    private static final class Use {
        private final NodeState state;
        private int count;

        Use(NodeState state) {
            this.state = state;
        }
    }

    private final Map<NodeState, Use> uses = new HashMap<>();

    /** The one object that is equal to it; in use once more. */
    NodeState use(NodeState state) {
        var use = uses.computeIfAbsent(state, Use::new);
        use.count++;
        return use.state;
    }

    /** In use once less. */
    void release(NodeState state) {
        uses.computeIfPresent(state, (same, use) -> --use.count == 0 ? null : use);
    }
}
