package dev.trainyard.scaler.plan;

import java.util.ArrayDeque;
import java.util.Deque;

/** An undo log of planning, to remove all traces of a gang that does not fit as a whole. */
final class UndoLog {

    private final Deque<Runnable> undoing = new ArrayDeque<>();
    private boolean open;

    /** Starts to record changes. */
    void begin() {
        open = true;
    }

    /** @param undo reverts a change that was just made */
    void changed(Runnable undo) {
        if (open) {
            undoing.push(undo);
        }
    }

    /** Keeps the changes and stops recording. */
    void keep() {
        open = false;
        undoing.clear();
    }

    /** Reverts all changes since {@link #begin}. */
    void takeBack() {
        open = false;
        while (!undoing.isEmpty()) {
            undoing.pop().run();
        }
    }
}
