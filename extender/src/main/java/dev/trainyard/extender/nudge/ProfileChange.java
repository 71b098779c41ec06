package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeProfile;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;

/** A change from one node profile to another, made by one or more nodes. */
record ProfileChange(NodeProfile before, NodeProfile after) {

    /**
     * Returns all changes, each one once, even if several nodes made it.
     *
     * @param changes changes by node name
     * @param nodes all nodes by name if the catalogue was edited; otherwise empty. For a node without a change, the result contains a
     *     change from the node's profile to the same profile
     */
    static Collection<ProfileChange> all(Map<String, RecentProfiles> changes, Map<String, IndexedState> nodes) {
        var steps = new LinkedHashSet<ProfileChange>();
        changes.values()
                .forEach(change ->
                        change.befores().forEach(before -> steps.add(new ProfileChange(before, change.after()))));
        nodes.forEach((name, node) -> {
            if (!changes.containsKey(name)) {
                steps.add(new ProfileChange(node.look(), node.look()));
            }
        });
        return steps;
    }
}
