package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.List;

/**
 * The state of a group that has fewer instances than were requested.
 *
 * @param since when more instances were last requested, by this process's clock. If another client made the request: the time of the last
 *     reading before it. At the first reading after a restart: a time from AWS's activities, by AWS's clock
 * @param activities the group's activities since the request
 */
record Shortage(Instant since, List<Activity> activities) {

    Shortage {
        activities = List.copyOf(activities);
    }
}
