package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodShape;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod that the scheduler could not place, or that has only Trainyard's scheduling gate.
 *
 * @param since when the pod was created
 * @param ours whether the pod is for Trainyard's own scheduler. A pod of another scheduler is ignored if it names no tier, fits no pool and
 *     requests no accelerator
 * @param verdict the scheduler's message about the pod
 * @param gang the pod's gang; empty if it has none
 * @param turn how the pod's gang starts
 * @param gated whether the pod has Trainyard's scheduling gate
 * @param nominated the node that is reserved for a gated pod by its status; empty if there is none
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
        Optional<GangView> gang,
        Turn turn,
        boolean gated,
        Optional<String> nominated) {

    /** How the gang of a pod starts. */
    public enum Turn {
        /** The pod has no gang, its tier does not start gangs whole, or it was created without a scheduling gate. */
        ALONE,
        /** The pod's scheduling gate holds it until there is room for all pods of its gang. */
        WAITS,
        /** Another pod of the gang has a node, so this pod is not held. */
        BEGUN
    }

    /** Creates a pod without a gang and without a gate. */
    public PendingPod(
            String uid,
            String namespace,
            String name,
            PodShape shape,
            int priority,
            Instant since,
            boolean ours,
            String verdict) {
        this(
                uid,
                namespace,
                name,
                shape,
                priority,
                since,
                ours,
                verdict,
                Optional.empty(),
                Turn.ALONE,
                false,
                Optional.empty());
    }

    /** Returns the pod with a gang that starts in the given way. */
    public PendingPod withGang(Optional<GangView> found, Turn ofGang) {
        return new PendingPod(
                uid, namespace, name, shape, priority, since, ours, verdict, found, ofGang, gated, nominated);
    }

    /** Whether the scheduling gate holds the pod until there is room for all pods of its gang. */
    public boolean isHeld() {
        return turn == Turn.WAITS;
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
