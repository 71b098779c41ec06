package dev.trainyard.extender.node;

import java.util.HashMap;
import java.util.Map;

/** Keeps one object for all equal states that are in use, and for all equal looks. Not thread-safe. */
final class States {

    /** Each edit of a pool makes other looks; those of long ago are forgotten. */
    private static final int MOST_LOOKS = 10_000;

    private static final class Use {
        private final NodeState state;
        private int count;

        Use(NodeState state) {
            this.state = state;
        }
    }

    private final Map<NodeState, Use> uses = new HashMap<>();
    private final Map<Look, Look> looks = new HashMap<>();

    /** The one object that is equal to it. That of a node without a label is hardly ever like another's, and soon over. */
    Look one(Look look) {
        if (look.unlabelled() != null) {
            return look;
        }
        if (looks.size() >= MOST_LOOKS) {
            looks.clear();
        }
        return looks.computeIfAbsent(look, same -> same);
    }

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
