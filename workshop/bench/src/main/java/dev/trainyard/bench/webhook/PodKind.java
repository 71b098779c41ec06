package dev.trainyard.bench.webhook;

import java.util.Locale;

/** Which pod is under review. */
public enum PodKind {
    /** Asks for a GPU: it is completed. */
    MUTATED,
    /** Asks for no GPU and names no tier: it stays as it is. */
    UNTOUCHED;

    /** {@code mutated}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
