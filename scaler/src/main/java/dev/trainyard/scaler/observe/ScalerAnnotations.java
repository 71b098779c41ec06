package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The scaler's annotations of a node, which survive a restart of the scaler.
 *
 * @param seenSince when the scaler first saw the node; only recorded if the node was not usable yet
 * @param usableSince when the node was first Ready with all promised GPUs
 * @param mostGpus the most GPUs that the node has shown while it was usable; 0 if unknown
 * @param idleSince since when no training pod has been on the node; empty while a training pod is on it
 * @param underUtilizedSince since when little of the node has been used; empty while nothing of it or much of it is used
 * @param missingSince since when the node has not been Ready and no cloud has listed its machine; empty if the node is Ready or the machine
 *     is listed
 * @param cordonedSince since when another tool or person has kept pods off the node; empty if none does
 * @param noticedSince the recorded times of notices, as text; empty if the node has none
 * @param removal why and since when the scaler keeps new pods off the node; empty if it does not
 * @param spotReturn the last attempt to return the node's pods to spot machines; empty if there was none
 * @param refusals refused evictions of the node's pods
 * @param terminatingSince when the termination of the node's machine was requested, which cannot be undone
 */
public record ScalerAnnotations(
        Optional<Instant> seenSince,
        Optional<Instant> usableSince,
        long mostGpus,
        Optional<Instant> idleSince,
        Optional<Instant> underUtilizedSince,
        Optional<Instant> missingSince,
        Optional<Instant> cordonedSince,
        Optional<String> noticedSince,
        Optional<Removal> removal,
        Optional<ReturnAttempt> spotReturn,
        Optional<Refusals> refusals,
        Optional<Instant> terminatingSince) {

    public static final String SEEN_SINCE = "trainyard.dev/seen-since";
    public static final String USABLE_SINCE = "trainyard.dev/usable-since";
    public static final String MOST_GPUS = "trainyard.dev/most-gpus";
    public static final String IDLE_SINCE = "trainyard.dev/idle-since";
    public static final String UNDER_UTILIZED_SINCE = "trainyard.dev/under-utilized-since";
    public static final String EVICTIONS_REFUSED = "trainyard.dev/evictions-refused";
    public static final String MISSING_SINCE = "trainyard.dev/missing-since";
    public static final String CORDONED_SINCE = "trainyard.dev/cordoned-since";
    public static final String RETURN_TO_SPOT = "trainyard.dev/return-to-spot";
    public static final String TERMINATING = "trainyard.dev/terminating-since";

    public static final ScalerAnnotations NONE = of(Map.of());

    /** The annotations to delete when the scaler cancels a removal. The idle time and the other times of the node then start again. */
    public static final List<String> OF_REMOVAL =
            List.of(Names.REMOVING, TERMINATING, EVICTIONS_REFUSED, IDLE_SINCE, UNDER_UTILIZED_SINCE, SEEN_SINCE);

    /** Whether the scaler is removing the machine because it is broken. */
    boolean isRemovedAsSick() {
        return removal.filter(begun -> begun.reason() == Removal.Reason.SICK).isPresent();
    }

    /** Returns the annotations of a node that became usable at the given time. */
    static ScalerAnnotations usable(Instant since) {
        return of(Map.of(SEEN_SINCE, since.toString(), USABLE_SINCE, since.toString()));
    }

    /** Reads annotations; an unreadable annotation counts as missing. */
    public static ScalerAnnotations of(Map<String, String> annotations) {
        return new ScalerAnnotations(
                time(annotations, SEEN_SINCE),
                time(annotations, USABLE_SINCE),
                number(annotations.get(MOST_GPUS)),
                time(annotations, IDLE_SINCE),
                time(annotations, UNDER_UTILIZED_SINCE),
                time(annotations, MISSING_SINCE),
                time(annotations, CORDONED_SINCE),
                Optional.ofNullable(annotations.get(Names.NOTICED_SINCE)),
                Optional.ofNullable(annotations.get(Names.REMOVING)).flatMap(Removal::parse),
                Optional.ofNullable(annotations.get(RETURN_TO_SPOT)).flatMap(ReturnAttempt::parse),
                Optional.ofNullable(annotations.get(EVICTIONS_REFUSED)).flatMap(Refusals::parse),
                time(annotations, TERMINATING));
    }

    private static long number(@Nullable String text) {
        return text != null && text.matches("[0-9]{1,9}") ? Long.parseLong(text) : 0;
    }

    private static Optional<Instant> time(Map<String, String> annotations, String name) {
        return PodReading.time(annotations.get(name));
    }
}
