package dev.trainyard.scaler.report;

import java.util.Collection;

/** A channel to people who do not watch the cluster. Never fails and never blocks. */
@FunctionalInterface
public interface Notices {

    /** Drops all notices. */
    Notices NONE = (what, pods) -> {};

    /** How many pods a notice names if there are more than {@link #ALL_NAMED}. */
    int NAMED = 4;

    /** The largest number of pods for which a notice names all pods. */
    int ALL_NAMED = 5;

    /**
     * Posts a notice about pods.
     *
     * @param what the message; an equal message is not posted again soon
     * @param pods the pods concerned, as {@code namespace/name}; may be empty
     */
    void tell(String what, Collection<String> pods);

    /** Returns the names as text, such as {@code a, b, c, d, and 36 others}. */
    static String list(Collection<String> pods) {
        var sorted = pods.stream().sorted().toList();
        return sorted.size() <= ALL_NAMED
                ? String.join(", ", sorted)
                : "%s, and %d others".formatted(String.join(", ", sorted.subList(0, NAMED)), sorted.size() - NAMED);
    }
}
