package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodShape;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod that the scheduler could not place.
 *
 * @param since when the pod was created
 * @param ours whether the pod is for Trainyard's own scheduler. A pod of another scheduler is ignored if it names no tier, fits no pool and
 *     requests no accelerator
 * @param verdict the scheduler's message about the pod
 * @param gang the pod's gang; empty if it has none
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
        Optional<GangView> gang) {

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

    PendingPod withGang(Optional<GangView> found) {
        return new PendingPod(uid, namespace, name, shape, priority, since, ours, verdict, found);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
