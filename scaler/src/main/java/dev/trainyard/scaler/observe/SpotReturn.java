package dev.trainyard.scaler.observe;

import java.util.List;

/**
 * The return of all pods of an on-demand machine to spot machines. The pods still run. They are planned for as if they were pending, but only
 * on spot machines, so that these machines are usable before the pods are evicted.
 *
 * @param node the node that the pods are on
 * @param pods the pods that are not being deleted yet, restricted to the pools that they return to
 */
public record SpotReturn(String node, List<PendingPod> pods, Stage stage) {

    /** The state of the spot machines for the pods. */
    public enum Stage {
        /** No plan has been made yet. */
        UNPLANNED,
        /** The plan has no place for a pod. */
        REFUSED,
        /** A machine for a pod is requested or provisioning. */
        PROVISIONING,
        /** Usable machines have room for all pods. */
        READY
    }

    public SpotReturn {
        pods = List.copyOf(pods);
    }

    public SpotReturn at(Stage reached) {
        return new SpotReturn(node, pods, reached);
    }
}
