package dev.trainyard.scaler.observe;

import dev.trainyard.core.gang.GangClaim;
import java.time.Instant;
import java.util.Optional;

/**
 * A pod that has a gang.
 *
 * @param controller the UID of the pod's controller; empty if it has none
 * @param isOfJob whether the controller is a Job. Other controllers, such as ReplicaSets, replace each other without a new run
 * @param created when the pod was created
 * @param lives false if the pod has succeeded
 * @param gated whether Trainyard's scheduling gate holds the pod
 * @param serves whether the pod needs no machine any more: it has succeeded or keeps a node. It keeps a bound or nominated node if it has
 *     not failed. A pod that is being deleted does not serve
 */
record GangPod(
        String uid,
        GangClaim claim,
        Optional<String> controller,
        boolean isOfJob,
        Instant created,
        boolean lives,
        boolean gated,
        boolean serves) {

    /** Whether the pod has a node, and its gang has started with it: it has no gate of Trainyard, and has not succeeded. */
    boolean hasStarted() {
        return serves && lives && !gated;
    }

    /** Returns the member without its node, whose nomination does not hold. */
    GangPod withoutNode() {
        return new GangPod(uid, claim, controller, isOfJob, created, lives, gated, serves && !lives);
    }
}
