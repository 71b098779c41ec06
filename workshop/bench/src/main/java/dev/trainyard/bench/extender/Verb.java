package dev.trainyard.bench.extender;

import java.util.Locale;

/**
 * The scheduler's calls to an extender about a pod. A scheduler calls either {@link #CHOOSE} alone, or {@link #FILTER} and then
 * {@link #PRIORITIZE}.
 */
public enum Verb {
    CHOOSE,
    FILTER,
    PRIORITIZE;

    /** Returns the verb in lower case, such as {@code filter}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String path() {
        return "/" + word();
    }
}
