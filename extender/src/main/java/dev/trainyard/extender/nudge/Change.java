package dev.trainyard.extender.nudge;

import dev.trainyard.extender.node.Look;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What became of a node since the last turn. All that it was in between counts: a pod may have been refused it at any moment. Not
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
