package dev.trainyard.cloud.aws;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The instances whose termination was requested recently. AWS's next answers may be older than the request, and so may not show the
 * termination yet. A second request for the same instance would lower the group's desired capacity once more. Thread-safe.
 */
final class Departures {

    /**
     * How long a termination may be missing in AWS's answers. AWS states no limit for the age of an answer; in practice, an answer is a few
     * seconds old.
     */
    static final Duration UNSEEN = Duration.ofMinutes(1);

    private final Clock clock;
    private final Map<String, Departure> departures = new ConcurrentHashMap<>();

    /** @param accepted whether AWS confirmed the request; otherwise its result is unknown */
    private record Departure(Instant at, boolean accepted) {}

    Departures(Clock clock) {
        this.clock = clock;
    }

    void accepted(String instance) {
        departures.put(instance, new Departure(clock.instant(), true));
    }

    /** Records a request that AWS did not answer, so that its result is unknown. */
    void unanswered(String instance) {
        departures.put(instance, new Departure(clock.instant(), false));
    }

    /** Whether it is too early to request the termination of an instance again. */
    boolean isOrdered(String instance) {
        forget();
        return departures.containsKey(instance);
    }

    /** Returns the group as if AWS already showed all accepted terminations. */
    Group shown(Group group) {
        forget();
        return group.without(id -> {
            var departure = departures.get(id);
            return departure != null && departure.accepted();
        });
    }

    private void forget() {
        var now = clock.instant();
        // If the clock was set back, the minute starts again. Otherwise the minute would last until the clock has
        // caught up.
        departures.replaceAll(
                (id, departure) -> departure.at().isAfter(now) ? new Departure(now, departure.accepted()) : departure);
        departures.values().removeIf(departure -> departure.at().isBefore(now.minus(UNSEEN)));
    }
}
