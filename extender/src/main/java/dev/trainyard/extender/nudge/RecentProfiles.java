package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.NodeProfile;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The profiles of a node since the last call of {@link RefusedPods#due}. The current profile is compared with each earlier one, because the
 * filter may have refused a pod by any of them. Not thread-safe.
 */
final class RecentProfiles {

    private final Set<NodeProfile> befores = new LinkedHashSet<>(2);
    private NodeProfile after;

    RecentProfiles(NodeProfile before) {
        this.after = before;
    }

    void to(NodeProfile before, NodeProfile next) {
        befores.add(before);
        after = next;
    }

    Set<NodeProfile> befores() {
        return befores;
    }

    NodeProfile after() {
        return after;
    }
}
