package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.util.List;

/**
 * The state of a group that has fewer instances than were requested.
 *
 * @param since the time of the last request for more instances, or slightly earlier; by our clock, except at the first reading after a
 *     restart
 * @param activities the group's activities since the request
 */
record Shortage(Instant since, List<Activity> activities) {

    Shortage {
        activities = List.copyOf(activities);
    }
}
