package dev.trainyard.cli.check;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Something of a cluster that was read, or could not be.
 *
 * @param problem why it could not; empty when it was read
 */
record Part<T>(Optional<T> value, String problem) {

    static <T> Part<T> of(T value) {
        return new Part<>(Optional.of(value), "");
    }

    static <T> Part<T> unread(String problem) {
        return new Part<>(Optional.empty(), problem);
    }

    /** What there is to say about it; that it could not be read, when it could not. */
    List<Finding> findings(String about, Function<T, List<Finding>> look) {
        return value.map(look)
                .orElseGet(() -> List.of(Finding.warning(
                        about,
                        "cannot be read: " + problem,
                        "run this with the rights of an administrator to have it checked")));
    }
}
