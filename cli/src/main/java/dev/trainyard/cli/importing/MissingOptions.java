package dev.trainyard.cli.importing;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The required options for values that files lack. Collects all of them, so that one message asks for all. Not thread-safe. */
final class MissingOptions {

    private final Map<String, String> reasons = new LinkedHashMap<>();

    /**
     * Adds an option, unless it was added already.
     *
     * @param reason why the option is needed, and where to find its value
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
