package dev.trainyard.bench.extender;

import java.util.Locale;

/** The scheduler's two calls to an extender about a pod, in the order in which the scheduler makes them. */
public enum Verb {
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
