package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodShape;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod that the scheduler could not place.
 *
 * @param since when it was created
 * @param ours whether it is for Trainyard's own scheduler; the pods of others count only where they fit
 * @param verdict the scheduler's own words
 * @param gang the gang that it belongs to; empty when it says nothing of any
 */
public record WaitingPod(
        String uid,
        String namespace,
        String name,
        PodShape shape,
        int priority,
        Instant since,
        boolean ours,
        String verdict,
        Optional<GangMark> gang) {

    /** A pod that belongs to no gang. */
    public WaitingPod(
            String uid,
            String namespace,
            String name,
            PodShape shape,
            int priority,
            Instant since,
            boolean ours,
            String verdict) {
        this(uid, namespace, name, shape, priority, since, ours, verdict, Optional.empty());
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
