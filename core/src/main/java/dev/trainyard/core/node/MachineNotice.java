package dev.trainyard.core.node;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cloud's notice about a machine, to be written on the machine's node as an annotation. {@link NoticeTable} states what the annotation
 * means. Queues deliver a notice several times and in any order, so a notice that is older than the annotation changes nothing.
 *
 * @param machine the cloud's identifier of the machine: the last part of the node's {@code spec.providerID}
 * @param annotation the key of the annotation
 * @param text the notice. A time in it is the machine's end
 * @param announced when the cloud announced the notice
 */
public record MachineNotice(String machine, String annotation, String text, Instant announced) {

    /** The beginning of a notice with a deadline. */
    static final String ENDS_AT = "ends at ";

    private static final String WITHDRAWN = "withdrawn";

    private static final String ANNOUNCED = ", announced at ";

    /** Creates a notice that the machine ends, or its maintenance begins, at {@code deadline}. */
    public static MachineNotice of(String machine, String annotation, Instant deadline, Instant announced) {
        return new MachineNotice(machine, annotation, ENDS_AT + deadline, announced);
    }

    /** Creates a notice that the machine ends at an unknown time. */
    public static MachineNotice ending(String machine, String annotation, Instant announced) {
        return new MachineNotice(machine, annotation, "ending", announced);
    }

    /** Creates a notice that an earlier notice does not hold any more. */
    public static MachineNotice withdrawn(String machine, String annotation, Instant announced) {
        return new MachineNotice(machine, annotation, WITHDRAWN, announced);
    }

    /** Whether the value of an annotation says that an earlier notice does not hold any more. */
    static boolean isWithdrawn(@Nullable String value) {
        return value != null && value.startsWith(WITHDRAWN + ANNOUNCED);
    }

    /** Whether the notice says that an earlier notice does not hold any more. */
    public boolean isWithdrawal() {
        return text.equals(WITHDRAWN);
    }

    /** Returns the value of the annotation. */
    public String value() {
        return text + ANNOUNCED + announced;
    }

    /** Returns the cloud's identifier of the machine of a node with this {@code spec.providerID}; empty if the ID has no such part. */
    public static Optional<String> machineOf(@Nullable String providerId) {
        if (providerId == null) {
            return Optional.empty();
        }
        int slash = providerId.lastIndexOf('/');
        return slash < 0 ? Optional.empty() : Optional.of(providerId.substring(slash + 1));
    }

    /** Whether the notice says something new. */
    public boolean replaces(@Nullable String present) {
        return present == null || announcedIn(present).map(announced::isAfter).orElse(true);
    }

    /** Returns the value of an annotation without the time of the announcement. */
    static String beforeAnnouncement(String value) {
        int end = value.lastIndexOf(ANNOUNCED);
        return end < 0 ? value : value.substring(0, end);
    }

    /** Returns when the notice was announced that is the value of an annotation; empty if the value is another text. */
    static Optional<Instant> announcedIn(String value) {
        int start = value.lastIndexOf(ANNOUNCED);
        try {
            return start < 0
                    ? Optional.empty()
                    : Optional.of(Instant.parse(value.substring(start + ANNOUNCED.length())));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
