package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.Look;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The looks of a node since the last turn. All looks in between count, because the node may have been refused to a pod at any moment. Not
 * thread-safe.
 */
final class Change {

    private final Set<Look> befores = new LinkedHashSet<>(2);
    private Look after;

    Change(Look before) {
        this.after = before;
    }

    void to(Look before, Look next) {
        befores.add(before);
        after = next;
    }

    Set<Look> befores() {
        return befores;
    }

    Look after() {
        return after;
    }
}
