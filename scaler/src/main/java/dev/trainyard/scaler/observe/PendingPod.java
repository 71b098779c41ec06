package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodShape;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod that the scheduler could not place.
 *
 * @param since when it was created
 * @param ours whether it is for Trainyard's own scheduler; other pods count only where they fit
 * @param verdict the scheduler's message
 * @param gang its gang; empty if it states none
 */
public record PendingPod(
        String uid,
        String namespace,
        String name,
        PodShape shape,
        int priority,
        Instant since,
        boolean ours,
        String verdict,
        Optional<GangMark> gang) {

    /** Creates a pod without a gang. */
    public PendingPod(
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
