package dev.trainyard.scaler.observe;

import dev.trainyard.core.resource.Resources;
import java.util.Optional;

/**
 * A pod that has a node and has not ended.
 *
 * @param kind whether it makes its node busy
 * @param started whether its containers run, or have run
 * @param terminating whether it has been told to end
 * @param blocker why it must not be interrupted, in words; empty when it may
 */
public record PodOnNode(
        String namespace,
        String name,
        String uid,
        Resources requests,
        Kind kind,
        boolean started,
        boolean terminating,
        Optional<String> blocker) {

    /** What a pod is to its node. */
    public enum Kind {
        /** One of a DaemonSet: there is one on every node. */
        DAEMON,
        /** Made by the kubelet from a file. */
        MIRROR,
        /** All others: what the machine is there for. */
        TRAINING
    }

    public boolean keepsNodeBusy() {
        return kind == Kind.TRAINING;
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
