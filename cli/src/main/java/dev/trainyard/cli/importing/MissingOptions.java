package dev.trainyard.cli.importing;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Options that must be given, as files do not say what they say. All are collected, so that a user is asked for them once. Not thread-safe. */
final class MissingOptions {

    private final Map<String, String> reasons = new LinkedHashMap<>();

    /**
     * Adds an option, unless it is there already.
     *
     * @param reason why it is needed, and where to find its value
     */
    void add(String option, String reason) {
        reasons.putIfAbsent(option, reason);
    }

    /** @throws MissingOptionsException if an option is missing */
    void requireNone() {
        if (!reasons.isEmpty()) {
            throw new MissingOptionsException(reasons.entrySet().stream()
                    .map(entry -> "add %s: %s".formatted(entry.getKey(), entry.getValue()))
                    .collect(Collectors.joining("; ")));
        }
    }
}
