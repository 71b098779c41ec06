package dev.trainyard.scaler.plan;

import java.util.ArrayDeque;
import java.util.Deque;

/** An undo log of planning. It reverts all changes for a gang if not all pods of the gang find a place. */
final class UndoLog {

    private final Deque<Runnable> undoing = new ArrayDeque<>();
    private boolean open;

    /** Starts to record changes. */
    void begin() {
        open = true;
    }

    /**
     * Records a change that was just made, if recording is on.
     *
     * @param undo reverts the change
     */
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
