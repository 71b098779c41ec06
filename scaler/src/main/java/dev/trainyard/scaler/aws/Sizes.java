package dev.trainyard.scaler.aws;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Since when groups are short of what they were last asked for. A launch that failed before says nothing of the order that is open: it may
 * have been another hour's. Thread-safe, one thread at a time for a group.
 */
final class Sizes {

    private final Map<String, Size> sizes = new ConcurrentHashMap<>();

    /** @param shortSince empty when nothing was missing */
    private record Size(Instant at, int desired, Optional<Instant> shortSince) {}

    /** Nothing is missing of a group. */
    void whole(Group group, Instant now) {
        sizes.put(group.name(), new Size(now, group.desired(), Optional.empty()));
    }

    /**
     * Since when a group has waited for what it was last asked for. Nobody asked before the reading in which it asked for less; at the first
     * reading AWS's activities tell who asked when.
     *
     * @param horizon when that cannot be told
     */
    Instant shortSince(Group group, Collection<Activity> activities, Instant horizon, Instant now) {
        var before = sizes.get(group.name());
        var since = before == null
                ? activities.stream()
                        .flatMap(activity -> activity.ordered().stream())
                        .max(Comparator.naturalOrder())
                        .orElse(horizon)
                : before.shortSince()
                        .filter(known -> group.desired() <= before.desired())
                        .orElse(before.at());
        sizes.put(group.name(), new Size(now, group.desired(), Optional.of(since)));
        return since;
    }

    void keep(Set<String> groups) {
        sizes.keySet().retainAll(groups);
    }
}
