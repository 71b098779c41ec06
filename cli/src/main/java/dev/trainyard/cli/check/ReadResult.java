package dev.trainyard.cli.check;

import dev.trainyard.core.TroubleshootingTopic;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A part of a cluster that was read or could not be read.
 *
 * @param problem why the part could not be read; empty if it was read
 */
record ReadResult<T>(Optional<T> value, String problem) {

    static <T> ReadResult<T> of(T value) {
        return new ReadResult<>(Optional.of(value), "");
    }

    static <T> ReadResult<T> unread(String problem) {
        return new ReadResult<>(Optional.empty(), problem);
    }

    /** Returns the findings on the value, or, if the part could not be read, the finding that it was not checked. */
    List<Finding> findings(String about, Function<T, List<Finding>> look) {
        return value.map(look).orElseGet(() -> List.of(notChecked(about)));
    }

    /** Returns the finding that the part was not checked. */
    Finding notChecked(String about) {
        return notChecked(about, problem);
    }

    /** Returns the finding that something was not checked. The finding is a warning, because the unchecked part may have a problem. */
    static Finding notChecked(String about, String problem) {
        return Finding.warning(about, "not checked: " + problem)
                .todo(
                        ClusterErrors.isMissingRight(problem)
                                ? "run the check as a user with the necessary rights"
                                : "fix this problem, then check again")
                .see(TroubleshootingTopic.NOT_CHECKED);
    }
}
