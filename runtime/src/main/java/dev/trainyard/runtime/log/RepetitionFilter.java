package dev.trainyard.runtime.log;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A filter for repeated problems, so that a caller cannot fill the log with one problem. The filter remembers 100 problems. When it is
 * full, no further problem counts as new. Thread-safe.
 */
public final class RepetitionFilter {

    private static final int REMEMBERED = 100;

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** Whether {@code problem} is new: this is the first call with it, and the filter is not full. */
    public boolean isNew(String problem) {
        return known.size() < REMEMBERED && known.add(problem);
    }

    /** Whether a throwable is a new problem. Throwables of the same class that were thrown in the same place are the same problem. */
    public boolean isNew(Throwable problem) {
        var frames = problem.getStackTrace();
        return isNew(problem.getClass().getName() + (frames.length == 0 ? "" : " at " + frames[0]));
    }

    /** Forgets all problems, so that each one counts as new again. */
    public void forget() {
        known.clear();
    }
}
