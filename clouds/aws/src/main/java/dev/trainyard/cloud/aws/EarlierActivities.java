package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The activities of a group before a request. These activities are not results of that request. They are identified by AWS's own ids and
 * times, since AWS's clock and ours may differ. Immutable.
 *
 * @param over ids of the activities that had ended before the request
 * @param latest when the last of the ended activities began, by AWS's clock; empty if none had ended
 */
record EarlierActivities(Set<String> over, Optional<Instant> latest) {

    EarlierActivities {
        over = Set.copyOf(over);
    }

    static EarlierActivities of(Collection<Activity> activities) {
        var over = activities.stream()
                .filter(activity -> activity.end().isPresent())
                .toList();
        return new EarlierActivities(
                over.stream().map(Activity::id).collect(Collectors.toSet()),
                over.stream().map(Activity::start).max(Comparator.naturalOrder()));
    }

    /**
     * Whether the activity had ended before the request. False for an activity that was in progress at that time, since such an activity may
     * have failed after the request.
     */
    boolean contains(Activity activity) {
        return over.contains(activity.id())
                || latest.filter(activity.at()::isBefore).isPresent();
    }
}
