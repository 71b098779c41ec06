package dev.trainyard.cloud.aws;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open request of each group: the last request for more machines, while machines are missing. A launch that failed before the open
 * request is ignored, since the launch may belong to a much older request. Thread-safe; one thread at a time for each group.
 */
final class OpenRequests {

    /** The maximum difference between AWS's clock and ours. Used if only times show which event was first. */
    static final Duration SKEW = Duration.ofMinutes(5);

    private final Map<String, Size> sizes = new ConcurrentHashMap<>();
    private final Map<String, Order> orders = new ConcurrentHashMap<>();

    /**
     * The target of a group when the group was last read.
     *
     * @param shortage the open request; empty if no machine was missing
     */
    private record Size(Instant at, int target, Optional<Open> shortage) {}

    /** A request of ours that AWS has not shown yet. */
    private record Order(int target, Open open) {}

    /**
     * An open request of a group.
     *
     * @param since the time of the request, by this process's clock. If another client made the request: the time of the last reading before
     *     it. At the first reading after a restart: a time from AWS's activities, by AWS's clock
     * @param past activities that do not belong to the request
     * @param earliest activities before this time, by AWS's clock, do not belong to the request either; empty if {@code past} is complete
     */
    private record Open(Instant since, EarlierActivities past, Optional<Instant> earliest) {

        Shortage with(ActivityHistory history) {
            return new Shortage(
                    since,
                    history.activities().values().stream()
                            .filter(activity -> !past.contains(activity)
                                    && earliest.filter(activity.at()::isBefore).isEmpty())
                            .toList());
        }
    }

    /** Records that no machine of a group is missing. */
    void whole(Group group, Instant now) {
        sizes.put(group.name(), new Size(now, group.target(), Optional.empty()));
    }

    /** Records that we are about to request more machines. */
    void order(String group, int target, EarlierActivities past, Instant now) {
        orders.put(group, new Order(target, new Open(now, past, Optional.empty())));
    }

    /** Records that we are about to request more machines, and that the group's earlier activities are unknown. */
    void orderUnknown(String group) {
        orders.remove(group);
    }

    /**
     * Returns a group's shortage, with the activities since the last request for more machines. If somebody else made the request, its exact
     * time is unknown. The time of the last reading before the request is then used. At the first reading, the time of the request is taken
     * from AWS's activities.
     *
     * @param before the activities that were known before this reading
     */
    Shortage shortage(Group group, ActivityHistory before, ActivityHistory history, Instant now) {
        var last = Optional.ofNullable(sizes.get(group.name()));
        var open = ordered(group)
                .or(() -> last.filter(size -> group.target() <= size.target()).flatMap(Size::shortage))
                .or(() -> last.map(size -> later(size.at(), before, now)))
                .orElseGet(() -> first(history, now));
        sizes.put(group.name(), new Size(now, group.target(), Optional.of(open)));
        return open.with(history);
    }

    private Optional<Open> ordered(Group group) {
        var order = orders.get(group.name());
        if (order == null || order.target() != group.target()) {
            return Optional.empty();
        }
        orders.remove(group.name());
        return Optional.of(order.open());
    }

    private static Open first(ActivityHistory history, Instant now) {
        var since = history.activities().values().stream()
                .flatMap(activity -> activity.ordered().stream())
                .max(Comparator.naturalOrder())
                .orElse(now.minus(ActivityHistory.HORIZON));
        return new Open(since, EarlierActivities.of(List.of()), Optional.of(since));
    }

    private static Open later(Instant last, ActivityHistory before, Instant now) {
        // If the clock was set back, the current time is used. Otherwise failures would be hidden until the clock has
        // caught up.
        var since = last.isAfter(now) ? now : last;
        return new Open(since, EarlierActivities.of(before.activities().values()), Optional.of(since.minus(SKEW)));
    }

    void keep(Set<String> groups) {
        sizes.keySet().retainAll(groups);
        orders.keySet().retainAll(groups);
    }
}
