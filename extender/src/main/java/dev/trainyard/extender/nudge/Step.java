package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.Look;
import dev.trainyard.extender.node.NodeState;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;

/** The look of one or more nodes before and after. */
record Step(Look before, Look after) {

    /**
     * Returns all steps, each one once, however many nodes made it.
     *
     * @param changes changes by node name
     * @param nodes nodes that count even if they did not change, by name
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
