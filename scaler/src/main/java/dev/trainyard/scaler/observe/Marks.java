package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the scaler has noted on a node, so that a restart forgets nothing.
 *
 * @param seenSince when the scaler first saw it, not usable
 * @param usableSince when it was first Ready with all promised GPUs
 * @param idleSince since when no training pod has been on it; empty while one is
 * @param underUtilizedSince since when little of it has been used; empty while nothing or much is
 * @param missingSince since when it has not been Ready and its machine has not been listed; empty while either is there
 * @param cordonedSince since when somebody else has been keeping pods off it; empty while nobody is
 * @param removal why and since when the scaler keeps new pods off it
 * @param refusals that its pods could not leave
 * @param terminatingSince when its machine was ordered to go: there is no way back from that
 */
public record Marks(
        Optional<Instant> seenSince,
        Optional<Instant> usableSince,
        Optional<Instant> idleSince,
        Optional<Instant> underUtilizedSince,
        Optional<Instant> missingSince,
        Optional<Instant> cordonedSince,
        Optional<Removal> removal,
        Optional<Refusals> refusals,
        Optional<Instant> terminatingSince) {

    public static final String SEEN_SINCE = "trainyard.dev/seen-since";
    public static final String USABLE_SINCE = "trainyard.dev/usable-since";
    public static final String IDLE_SINCE = "trainyard.dev/idle-since";
    public static final String UNDER_UTILIZED_SINCE = "trainyard.dev/under-utilized-since";
    public static final String EVICTIONS_REFUSED = "trainyard.dev/evictions-refused";
    public static final String MISSING_SINCE = "trainyard.dev/missing-since";
    public static final String CORDONED_SINCE = "trainyard.dev/cordoned-since";
    public static final String TERMINATING = "trainyard.dev/terminating-since";

    public static final Marks NONE = of(Map.of());

    /** What goes when the scaler takes back its cordon: the node's times begin anew. */
    public static final List<String> OF_REMOVAL =
            List.of(Names.REMOVING, TERMINATING, EVICTIONS_REFUSED, IDLE_SINCE, UNDER_UTILIZED_SINCE, SEEN_SINCE);

    /** Nothing but when it was first usable. */
    static Marks usable(Instant since) {
        return of(Map.of(SEEN_SINCE, since.toString(), USABLE_SINCE, since.toString()));
    }

    /** Reads annotations; one that cannot be read is as good as none. */
    public static Marks of(Map<String, String> annotations) {
        return new Marks(
                time(annotations, SEEN_SINCE),
                time(annotations, USABLE_SINCE),
                time(annotations, IDLE_SINCE),
                time(annotations, UNDER_UTILIZED_SINCE),
                time(annotations, MISSING_SINCE),
                time(annotations, CORDONED_SINCE),
                Optional.ofNullable(annotations.get(Names.REMOVING)).flatMap(Removal::parse),
                Optional.ofNullable(annotations.get(EVICTIONS_REFUSED)).flatMap(Refusals::parse),
                time(annotations, TERMINATING));
    }

    private static Optional<Instant> time(Map<String, String> annotations, String name) {
        return PodReading.time(annotations.get(name));
    }
}
