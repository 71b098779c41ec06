package dev.trainyard.cloud.aws;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Something that a group did, or tried.
 *
 * @param status such as {@code Failed} or {@code WaitingForSpotInstanceId}
 * @param message why it has that status; empty when all went well
 * @param cause what led to it, in AWS's words; empty when it does not say
 * @param end empty while it goes on
 * @param noticed {@link #at} by our own clock, as near as can be told: AWS's may differ from it
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

    /** "View a scaling activity" in the user guide: each sentence of a cause begins with its time. */
    private static final Pattern RESIZED = Pattern.compile(
            "At (\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z)(?:(?!At \\d{4}-).)*?chang(?:ing|ed) the desired capacity from (\\d{1,9}) to (\\d{1,9})\\b");

    /** As AWS tells it, by whose clock alone it is known when it was. */
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

    /** The same, by our clock. */
    Activity noticed(Instant time) {
        return new Activity(id, description, status, message, cause, start, end, time);
    }

    /** When somebody asked for more machines, if that led to it. */
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
        } catch (DateTimeParseException e) { // a time that no calendar has
            return Optional.empty();
        }
    }

    /**
     * Whether it was meant to make an instance of use; failed terminations are nobody's lack of capacity, and what goes into a warm pool
     * fills no order.
     */
    boolean isLaunch() {
        return description.startsWith("Launching") && !description.contains("into warm pool");
    }

    boolean failed() {
        return status.equals("Failed") || status.equals("Cancelled");
    }

    /** Whether AWS has an instance for it, booting or booted. */
    boolean gotInstance() {
        return switch (status) {
            case "PreInService", "InProgress", "MidLifecycleAction", "WaitingForInstanceWarmup", "Successful" -> true;
            default -> false;
        };
    }

    /** Whether it began after {@code failure} and found an instance all the same. */
    boolean makesUpFor(Activity failure) {
        return gotInstance() && start.isAfter(failure.at());
    }

    /** When it came to be what it is; a failure keeps this time for ever. */
    Instant at() {
        return end.orElse(start);
    }
}
