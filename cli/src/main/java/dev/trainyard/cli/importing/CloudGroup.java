package dev.trainyard.cli.importing;

import java.util.SortedMap;

/**
 * A group of machines in the output of {@code aws} or {@code az}.
 *
 * @param draft the pool for the group
 * @param sign whether the group's tags show that it belongs to a cluster
 */
record CloudGroup(String name, PoolDraft draft, SortedMap<String, String> tags, boolean sign) {

    /** Whether the group has this name. Azure ignores the case of names, AWS does not. */
    boolean isNamed(String text) {
        return draft.provider.awsAutoScalingGroup() == null ? name.equalsIgnoreCase(text) : name.equals(text);
    }

    /** Whether the group has all these tags; an empty value matches any value. */
    boolean has(SortedMap<String, String> wanted) {
        return wanted.entrySet().stream()
                .allMatch(tag -> tags.containsKey(tag.getKey())
                        && (tag.getValue().isEmpty() || tag.getValue().equals(tags.get(tag.getKey()))));
    }
}
