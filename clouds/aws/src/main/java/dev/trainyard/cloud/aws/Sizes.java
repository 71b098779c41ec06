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
 * Since when groups are short of what they were last asked for. A launch that failed before says nothing of the order that is open: it may
 * have been another hour's. Thread-safe, one thread at a time for a group.
 */
final class Sizes {

    /** By how much AWS's clock may differ from ours where nothing but time tells what came first. */
    static final Duration SKEW = Duration.ofMinutes(5);

    private final Map<String, Size> sizes = new ConcurrentHashMap<>();
    private final Map<String, Order> orders = new ConcurrentHashMap<>();

    /** @param shortage empty when nothing was missing */
    private record Size(Instant at, int target, Optional<Open> shortage) {}

    /** An order of ours that no reading has shown yet. */
    private record Order(int target, Open open) {}

    /**
     * What a group waits for.
     *
     * @param since by our clock
     * @param past what is none of its doings
     * @param earliest when its doings were over at the earliest, by AWS's clock; empty when {@code past} says all
     */
    private record Open(Instant since, Past past, Optional<Instant> earliest) {

        Shortage with(History history) {
            return new Shortage(
                    since,
                    history.activities().values().stream()
                            .filter(activity -> !past.contains(activity)
                                    && earliest.filter(activity.at()::isBefore).isEmpty())
                            .toList());
        }
    }

    /** Nothing is missing of a group. */
    void whole(Group group, Instant now) {
        sizes.put(group.name(), new Size(now, group.target(), Optional.empty()));
    }

    /** We are about to ask for more. */
    void order(String group, int target, Past past, Instant now) {
        orders.put(group, new Order(target, new Open(now, past, Optional.empty())));
    }

    /** We are about to ask for more, and nobody knows what the group has done before. */
    void orderUnknown(String group) {
        orders.remove(group);
    }

    /**
     * What a group has done since it was last asked for more. Of what others ask for nothing is known but that they had not asked before the
     * reading in which it wanted less; at the first reading AWS's activities tell who asked when.
     *
     * @param before what was known of it until this reading
     */
    Shortage shortage(Group group, History before, History history, Instant now) {
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

    private static Open first(History history, Instant now) {
        var since = history.activities().values().stream()
                .flatMap(activity -> activity.ordered().stream())
                .max(Comparator.naturalOrder())
                .orElse(now.minus(History.HORIZON));
        return new Open(since, Past.of(List.of()), Optional.of(since));
    }

    private static Open later(Instant last, History before, Instant now) {
        // A clock that was set back must not hide what fails until it has caught up.
        var since = last.isAfter(now) ? now : last;
        return new Open(since, Past.of(before.activities().values()), Optional.of(since.minus(SKEW)));
    }

    void keep(Set<String> groups) {
        sizes.keySet().retainAll(groups);
        orders.keySet().retainAll(groups);
    }
}
