package dev.trainyard.scaler;

import java.util.Collection;

/** Tells people who do not look at the cluster. Never fails and never waits. */
@FunctionalInterface
interface Notices {

    /** To nobody. */
    Notices NONE = (what, pods) -> {};

    /** Pods that a notice names when there are more than {@link #ALL_NAMED}. */
    int NAMED = 4;

    /** Pods that are all named. */
    int ALL_NAMED = 5;

    /**
     * Reports something about pods.
     *
     * @param what in words; the same words are told seldom
     * @param pods whom it concerns, as {@code namespace/name}; may be empty
     */
    void tell(String what, Collection<String> pods);

    /** {@code a, b, c, d, and 36 others}. */
    static String list(Collection<String> pods) {
        var sorted = pods.stream().sorted().toList();
        return sorted.size() <= ALL_NAMED
                ? String.join(", ", sorted)
                : "%s, and %d others".formatted(String.join(", ", sorted.subList(0, NAMED)), sorted.size() - NAMED);
    }
}
