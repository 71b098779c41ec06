package dev.trainyard.workshop.demo;

import java.time.Duration;
import java.util.Optional;

/**
 * How the pods of a gang got their nodes, as observed by a watch. Immutable.
 *
 * @param reserved how many pods of the gang had a node, or reserved room on one, when the first pod got its node
 * @param others how many pods of other gangs of the namespace ran, or were about to, at that time
 * @param placed how many pods have got a node
 * @param first when the first pod got its node
 * @param last when the latest of these pods got its node
 */
public record GangPlacement(int reserved, int others, int placed, Duration first, Duration last) {

    /** The longest time from the first placement to the last. A scheduler needs less than a second, unless the computer is busy. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    GangPlacement withOneMore(Duration now) {
        return new GangPlacement(reserved, others, placed + 1, first, now);
    }

    /** Returns how long a part of the gang had nodes while other pods had none. */
    public Duration inPart() {
        return last.minus(first);
    }

    /**
     * Returns the problem if a part of the gang had nodes without the others; empty if the gang started whole.
     *
     * @param size the number of the gang's pods
     */
    public Optional<String> problem(int size) {
        if (reserved < size) {
            return Optional.of("the first pod got a node when only %d of %d pods had a node or reserved room"
                    .formatted(reserved, size));
        }
        if (placed != size) {
            return Optional.of("%d pods got nodes, but the gang has %d".formatted(placed, size));
        }
        return inPart().compareTo(LONGEST) <= 0
                ? Optional.empty()
                : Optional.of("the last pod got its node %d ms after the first".formatted(inPart().toMillis()));
    }
}
