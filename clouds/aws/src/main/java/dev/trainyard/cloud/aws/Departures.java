package dev.trainyard.cloud.aws;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Instances that were ordered to go, for as long as AWS may not show it: what it answers may be older than what it was asked, and an order
 * given twice lowers a group's desired capacity by two. Thread-safe.
 */
final class Departures {

    /** AWS gives no bound for how old an answer may be; it is a matter of seconds. */
    static final Duration UNSEEN = Duration.ofMinutes(1);

    private final Clock clock;
    private final Map<String, Departure> departures = new ConcurrentHashMap<>();

    /** @param accepted else nobody knows whether AWS has the order */
    private record Departure(Instant at, boolean accepted) {}

    Departures(Clock clock) {
        this.clock = clock;
    }

    void accepted(String instance) {
        departures.put(instance, new Departure(clock.instant(), true));
    }

    /** AWS did not say whether it has the order. */
    void unanswered(String instance) {
        departures.put(instance, new Departure(clock.instant(), false));
    }

    /** Whether it is too early to order an instance to go, again. */
    boolean isOrdered(String instance) {
        forget();
        return departures.containsKey(instance);
    }

    /** A group as it is, whatever AWS shows of it yet. */
    Group shown(Group group) {
        forget();
        return group.without(id -> {
            var departure = departures.get(id);
            return departure != null && departure.accepted();
        });
    }

    private void forget() {
        var now = clock.instant();
        // A clock that was set back begins the minute anew: else it would last until the clock has caught up.
        departures.replaceAll(
                (id, departure) -> departure.at().isAfter(now) ? new Departure(now, departure.accepted()) : departure);
        departures.values().removeIf(departure -> departure.at().isBefore(now.minus(UNSEEN)));
    }
}
