package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.NodeState;
import java.util.ArrayList;
import java.util.List;

/**
 * What became of a node since the last turn. All that it was in between counts: a pod may have been refused it at any moment. Not
 * thread-safe.
 */
final class Change {

    private final List<NodeState> befores = new ArrayList<>(1);
    private NodeState after;

    Change(NodeState before) {
        this.after = before;
    }

    void to(NodeState before, NodeState next) {
        if (befores.stream().noneMatch(known -> Look.isShared(known, before))) {
            befores.add(before);
        }
        after = next;
    }

    List<NodeState> befores() {
        return befores;
    }

    NodeState after() {
        return after;
    }
}
