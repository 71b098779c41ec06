package dev.trainyard.bench.extender;

import java.util.Locale;

/** The scheduler's calls about a pod, in its order. */
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
