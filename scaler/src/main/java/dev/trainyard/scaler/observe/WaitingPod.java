package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodShape;
import java.time.Instant;

/**
 * A pod that the scheduler could not place.
 *
 * @param since when it was created
 * @param ours whether it is for Trainyard's own scheduler; the pods of others count only where they fit
 * @param verdict the scheduler's own words
 */
public record WaitingPod(
        String uid,
        String namespace,
        String name,
        PodShape shape,
        int priority,
        Instant since,
        boolean ours,
        String verdict) {

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
