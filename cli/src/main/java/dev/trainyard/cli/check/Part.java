package dev.trainyard.cli.check;

import dev.trainyard.core.Trap;
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

    /** What there is to say about it; that it was not checked, when it could not be read. */
    List<Finding> findings(String about, Function<T, List<Finding>> look) {
        return value.map(look).orElseGet(() -> List.of(notChecked(about)));
    }

    /** That it could not be read. */
    Finding notChecked(String about) {
        return notChecked(about, problem);
    }

    /** Never taken for well. */
    static Finding notChecked(String about, String problem) {
        return Finding.warning(about, "not checked: " + problem)
                .todo("run this as somebody who can")
                .see(Trap.NOT_CHECKED);
    }
}
