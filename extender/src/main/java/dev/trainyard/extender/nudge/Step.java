package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.NodeState;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/** From how one or more nodes looked to how they look now. */
record Step(NodeState before, NodeState after) {

    private record Looks(Look before, Look after) {}

    /**
     * Every step once, however many nodes made it.
     *
     * @param changes of nodes
     * @param nodes that matter also when they did not change
     */
    static Collection<Step> all(Map<String, Change> changes, Map<String, NodeState> nodes) {
        var steps = new HashMap<Looks, Step>();
        changes.values()
                .forEach(change -> change.befores().forEach(before -> {
                    var step = new Step(before, change.after());
                    steps.putIfAbsent(new Looks(Look.of(before), Look.of(change.after())), step);
                }));
        var looks = new IdentityHashMap<NodeState, Look>();
        nodes.forEach((name, node) -> {
            if (!changes.containsKey(name)) {
                var look = looks.computeIfAbsent(node, Look::of);
                steps.putIfAbsent(new Looks(look, look), new Step(node, node));
            }
        });
        return steps.values();
    }
}
