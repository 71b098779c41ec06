package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.List;

/**
 * That a group has fewer instances than were asked for.
 *
 * @param since when the last of them were asked for, or a little earlier, by our clock unless a restart has just made AWS tell
 * @param activities what the group did since
 */
record Shortage(Instant since, List<Activity> activities) {

    Shortage {
        activities = List.copyOf(activities);
    }
}
