package dev.trainyard.runtime.log;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which problems were not met before, so that one that comes again and again, at a caller's will, does not fill the log. Remembers 100,
 * and takes nothing for new after that. Thread-safe.
 */
public final class Novelty {

    private static final int REMEMBERED = 100;

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** True the first time that it is asked about {@code problem}. */
    public boolean isNew(String problem) {
        return known.size() < REMEMBERED && known.add(problem);
    }

    /** As {@link #isNew(String)}: two throwables of one class, thrown in one place, are the same problem. */
    public boolean isNew(Throwable problem) {
        var frames = problem.getStackTrace();
        return isNew(problem.getClass().getName() + (frames.length == 0 ? "" : " at " + frames[0]));
    }

    /** From now on everything is new again. */
    public void forget() {
        known.clear();
    }
}
