package dev.trainyard.scaler.plan;

import java.util.ArrayDeque;
import java.util.Deque;

/** What was changed since a point to which one may have to go back: a gang that does not fit whole must leave no trace. */
final class Journal {

    private final Deque<Runnable> undoing = new ArrayDeque<>();
    private boolean open;

    /** From now on changes can be taken back. */
    void begin() {
        open = true;
    }

    /** @param undo takes back a change that was just made */
    void changed(Runnable undo) {
        if (open) {
            undoing.push(undo);
        }
    }

    /** What was changed stays. */
    void keep() {
        open = false;
        undoing.clear();
    }

    /** All is as it was at the beginning. */
    void takeBack() {
        open = false;
        while (!undoing.isEmpty()) {
            undoing.pop().run();
        }
    }
}
