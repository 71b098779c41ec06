package dev.trainyard.bench.extender;

import java.util.Locale;

/** What the scheduler asks, in the order in which it does. */
public enum Verb {
    FILTER,
    PRIORITIZE;

    /** {@code filter}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String path() {
        return "/" + word();
    }
}
