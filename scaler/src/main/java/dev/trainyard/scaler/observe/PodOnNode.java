package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod that has a node and has not ended.
 *
 * @param shape empty when the pod is malformed; it takes nothing then, and must not be interrupted
 * @param relations what it is to other pods, and wants of them
 * @param kind whether it makes its node busy
 * @param started whether its containers run, or have run
 * @param scheduled when it got its node; long ago when that is not told
 * @param endsBy when it will have ended, if it has been told to and its kubelet answers
 * @param interruption whether and when it may be interrupted
 */
public record PodOnNode(
        String namespace,
        String name,
        String uid,
        Optional<PodShape> shape,
        PodRelations relations,
        Kind kind,
        boolean started,
        Instant scheduled,
        Optional<Instant> endsBy,
        Interruption interruption) {

    /** What a pod is to its node. */
    public enum Kind {
        /** One of a DaemonSet: there is one on every node. */
        DAEMON,
        /** Made by the kubelet from a file. */
        MIRROR,
        /** All others: what the machine is there for. */
        TRAINING
    }

    public Resources requests() {
        return shape.map(PodShape::requests).orElse(Resources.NONE);
    }

    public boolean keepsNodeBusy() {
        return kind == Kind.TRAINING;
    }

    /** Whether it has been told to end. */
    public boolean terminating() {
        return endsBy.isPresent();
    }

    /** Why it must not be interrupted, in words; empty when it may. */
    public Optional<String> blocker(Instant now) {
        return interruption.blocker(now);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
