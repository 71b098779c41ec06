package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.Look;
import dev.trainyard.extender.node.NodeState;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;

/** From how one or more nodes looked to how they look now. */
record Step(Look before, Look after) {

    /**
     * Every step once, however many nodes made it.
     *
     * @param changes of nodes
     * @param nodes that matter also when they did not change
     */
    static Collection<Step> all(Map<String, Change> changes, Map<String, NodeState> nodes) {
        var steps = new LinkedHashSet<Step>();
        changes.values()
                .forEach(change -> change.befores().forEach(before -> steps.add(new Step(before, change.after()))));
        nodes.forEach((name, node) -> {
            if (!changes.containsKey(name)) {
                steps.add(new Step(node.look(), node.look()));
            }
        });
        return steps;
    }
}
