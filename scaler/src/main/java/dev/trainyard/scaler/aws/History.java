package dev.trainyard.scaler.aws;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * A group's recent activities, as read so far. Immutable.
 *
 * @param activities by id
 */
record History(Map<String, Activity> activities) {

    static final History EMPTY = new History(Map.of());

    /** What is older is answered or forgiven: failures further apart are not "in a row". */
    static final Duration HORIZON = Duration.ofHours(1);

    History {
        activities = Map.copyOf(activities);
    }

    /** How far back to read: to the oldest activity that may have changed since, or to the latest that is known. */
    Instant from(Instant now) {
        var horizon = now.minus(HORIZON);
        var open = activities.values().stream()
                .filter(activity -> activity.end().isEmpty())
                .map(Activity::start)
                .min(Instant::compareTo);
        var latest = activities.values().stream().map(Activity::start).max(Instant::compareTo);
        return open.or(() -> latest).filter(horizon::isBefore).orElse(horizon);
    }

    /** With what was read now. */
    History with(Collection<Activity> read, Instant now) {
        var all = new HashMap<>(activities);
        read.forEach(activity -> all.put(activity.id(), activity));
        all.values().removeIf(activity -> activity.at().isBefore(now.minus(HORIZON)));
        return new History(all);
    }
}
