package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An activity of a group.
 *
 * @param status such as {@code Failed} or {@code WaitingForSpotInstanceId}
 * @param message why the activity has that status; empty if the activity succeeded
 * @param cause the cause in AWS's words; empty if AWS names none
 * @param end when the activity ended; empty while the activity is in progress
 * @param noticed an estimate of {@link #at} by our own clock; AWS's clock may differ from ours
 */
record Activity(
        String id,
        String description,
        String status,
        String message,
        String cause,
        Instant start,
        Optional<Instant> end,
        Instant noticed) {

    /**
     * The sentence of a cause that describes a change of the desired capacity. Each sentence begins with the time of its event. Source:
     * "View a scaling activity" in the user guide.
     */
    private static final Pattern RESIZED = Pattern.compile(
            "At (\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z)(?:(?!At \\d{4}-).)*?chang(?:ing|ed) the desired capacity from (\\d{1,9}) to (\\d{1,9})\\b");

    /** Creates an activity with times by AWS's clock only. */
    Activity(
            String id,
            String description,
            String status,
            String message,
            String cause,
            Instant start,
            Optional<Instant> end) {
        this(id, description, status, message, cause, start, end, end.orElse(start));
    }

    /** Returns a copy of this activity with an estimate of its time by our clock. */
    Activity noticed(Instant time) {
        return new Activity(id, description, status, message, cause, start, end, time);
    }

    /** Returns the time of the request for more machines that caused the activity; empty if the activity has another cause. */
    Optional<Instant> ordered() {
        return RESIZED.matcher(cause)
                .results()
                .filter(change -> Integer.parseInt(change.group(3)) > Integer.parseInt(change.group(2)))
                .flatMap(change -> instant(change.group(1)).stream())
                .max(Comparator.naturalOrder());
    }

    private static Optional<Instant> instant(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) { // not a valid time
            return Optional.empty();
        }
    }

    /**
     * Whether the activity launches an instance that can be used. Terminations are left out, because a failed termination does not mean a
     * lack of capacity. Launches into a warm pool are left out, because they fill no request.
     */
    boolean isLaunch() {
        return description.startsWith("Launching") && !description.contains("into warm pool");
    }

    boolean failed() {
        return status.equals("Failed") || status.equals("Cancelled");
    }

    /** Whether AWS has an instance for the activity, booting or booted. */
    boolean gotInstance() {
        return switch (status) {
            case "PreInService", "InProgress", "MidLifecycleAction", "WaitingForInstanceWarmup", "Successful" -> true;
            default -> false;
        };
    }

    /** Whether the activity began after {@code failure} and found an instance. */
    boolean makesUpFor(Activity failure) {
        return gotInstance() && start.isAfter(failure.at());
    }

    /** Returns the time at which the activity reached its status. The time of a failure never changes. */
    Instant at() {
        return end.orElse(start);
    }
}
