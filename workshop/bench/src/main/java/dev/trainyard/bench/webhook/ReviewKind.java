package dev.trainyard.bench.webhook;

import java.util.Locale;

/** The kinds of pod under review. */
public enum ReviewKind {
    /** A pod that requests a GPU, which the webhook mutates. */
    MUTATED,
    /** A pod that requests no GPU and names no tier, which the webhook leaves unchanged. */
    UNTOUCHED;

    /** Returns the kind in lower case, such as {@code mutated}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
