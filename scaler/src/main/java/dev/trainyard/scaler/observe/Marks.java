package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;

/**
 * What the scaler has noted on a node, so that a restart forgets nothing.
 *
 * @param seenSince when the scaler first saw it, not usable
 * @param usableSince when it was first Ready with all promised GPUs
 * @param idleSince since when no training pod has been on it; empty while one is
 * @param missingSince since when it has not been Ready and its machine has not been listed; empty while either is there
 * @param removal why and since when the scaler keeps it cordoned
 * @param terminatingSince when its machine was ordered to go: there is no way back from that
 */
public record Marks(
        Optional<Instant> seenSince,
        Optional<Instant> usableSince,
        Optional<Instant> idleSince,
        Optional<Instant> missingSince,
        Optional<Removal> removal,
        Optional<Instant> terminatingSince) {

    public static final String SEEN_SINCE = "trainyard.dev/seen-since";
    public static final String USABLE_SINCE = "trainyard.dev/usable-since";
    public static final String IDLE_SINCE = "trainyard.dev/idle-since";
    public static final String MISSING_SINCE = "trainyard.dev/missing-since";
    public static final String TERMINATING = "trainyard.dev/terminating-since";

    public static final Marks NONE = new Marks(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** Nothing but when it was first usable. */
    static Marks usable(Instant since) {
        return new Marks(
                Optional.of(since),
                Optional.of(since),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Reads annotations; one that cannot be read is as good as none. */
    public static Marks of(Map<String, String> annotations) {
        return new Marks(
                time(annotations, SEEN_SINCE),
                time(annotations, USABLE_SINCE),
                time(annotations, IDLE_SINCE),
                time(annotations, MISSING_SINCE),
                Optional.ofNullable(annotations.get(Names.REMOVING)).flatMap(Removal::parse),
                time(annotations, TERMINATING));
    }

    private static Optional<Instant> time(Map<String, String> annotations, String name) {
        try {
            return Optional.ofNullable(annotations.get(name)).map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
