package dev.trainyard.cloud.aws;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A group's recent activities, as read so far. Immutable.
 *
 * @param activities by id
 * @param read the time of the last reading, by our clock; empty if there was none
 */
record ActivityHistory(Map<String, Activity> activities, Optional<Instant> read) {

    static final ActivityHistory EMPTY = new ActivityHistory(Map.of(), Optional.empty());

    /** How long activities are kept. Older failures have no effect: the scaler's back-off forgives a failure after an hour, too. */
    static final Duration HORIZON = Duration.ofHours(1);

    ActivityHistory {
        activities = Map.copyOf(activities);
    }

    /**
     * Returns the start of the period for which activities are read next. This is the start of the oldest activity in progress. If no
     * activity is in progress, it is the start of the latest known activity. The period is at most {@link #HORIZON} long.
     */
    Instant from(Instant now) {
        var horizon = now.minus(HORIZON);
        var open = activities.values().stream()
                .filter(activity -> activity.end().isEmpty())
                .map(Activity::start)
                .min(Instant::compareTo);
        var latest = activities.values().stream().map(Activity::start).max(Instant::compareTo);
        return open.or(() -> latest).filter(horizon::isBefore).orElse(horizon);
    }

    /** Returns the history with newly read activities. */
    ActivityHistory with(Collection<Activity> news, Instant now) {
        var all = new HashMap<>(activities);
        news.forEach(activity -> all.put(activity.id(), dated(activity, now)));
        all.values().removeIf(activity -> activity.at().isBefore(now.minus(HORIZON)));
        return new ActivityHistory(all, Optional.of(now));
    }

    /**
     * Returns the activity with its time by our clock. If the last reading did not show the status, the activity reached it between that
     * reading and now. AWS's clock may say otherwise. The time stays while the status stays, since the scaler distinguishes failures by
     * their times.
     */
    private Activity dated(Activity activity, Instant now) {
        var known = activities.get(activity.id());
        if (known != null
                && known.status().equals(activity.status())
                && known.end().equals(activity.end())) {
            return activity.noticed(known.noticed());
        }
        var at = read.filter(activity.at()::isBefore).orElse(activity.at());
        return activity.noticed(at.isAfter(now) ? now : at);
    }
}
