package dev.trainyard.cli.importing;

import java.util.SortedMap;

/**
 * A group of machines as its cloud's own tool lists it.
 *
 * @param draft as a pool
 * @param sign whether something on it says that it belongs to a cluster
 */
record CloudGroup(String name, PoolDraft draft, SortedMap<String, String> tags, boolean sign) {

    /** Azure takes names in any case, AWS does not. */
    boolean isNamed(String text) {
        return draft.provider.awsAutoScalingGroup() == null ? name.equalsIgnoreCase(text) : name.equals(text);
    }

    /** Whether it has all these tags; an empty value stands for any. */
    boolean has(SortedMap<String, String> wanted) {
        return wanted.entrySet().stream()
                .allMatch(tag -> tags.containsKey(tag.getKey())
                        && (tag.getValue().isEmpty() || tag.getValue().equals(tags.get(tag.getKey()))));
    }
}
