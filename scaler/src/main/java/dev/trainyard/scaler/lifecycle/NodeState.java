package dev.trainyard.scaler.lifecycle;

/** The state of a node as the scaler sees it. If the autoscalers that Trainyard replaces had the same state, it has the same word here. */
public enum NodeState {
    /** The machine exists, but the node is not Ready, has a startup taint, or does not report the devices that its pool promises. */
    REGISTERING("registering"),
    /** The node was not usable within the pool's provision timeout. */
    LAUNCH_TIMEOUT("launch-timeout"),
    /** The node runs training pods: pods that are neither a DaemonSet's nor static pods of the kubelet. */
    BUSY("busy"),
    /** A pod was placed on the node during the removal. */
    BUSY_UNSCHEDULABLE("busy-unschedulable"),
    /** The node is reserved for a pending pod. */
    POD_PENDING("pod-pending"),
    /** The node is idle, but has not been idle for the pool's {@code idleAfter} yet. */
    GRACE_PERIOD("grace-period"),
    /** The node is idle, and is kept as one of the pool's {@code spare} machines. */
    SPARE_AGENT("spare-agent"),
    /** The node is idle, and is kept because the pool is at its minimum. */
    ASG_MIN_SIZE("asg-min-size"),
    /** The node has been idle for long enough, but is kept until near the end of the billing increment that is paid for. */
    LAUNCH_HR_GRACE_PERIOD("launch-hr-grace-period"),
    /** The node has been idle for long enough: its removal is the next step. */
    IDLE_SCHEDULABLE("idle-schedulable"),
    /** The node is cordoned by the scaler and empty: the termination of its machine is the next step. */
    IDLE_UNSCHEDULABLE("idle-unschedulable"),
    /** The node is little used, and no reason is known why its pods could not run on other nodes. */
    UNDER_UTILIZED_DRAINABLE("under-utilized-drainable"),
    /** The node is little used, but one of its pods must not be interrupted or fits on no other node. */
    UNDER_UTILIZED_UNDRAINABLE("under-utilized-undrainable"),
    /** The node is cordoned by the scaler, and its pods are leaving. */
    DRAINING("draining"),
    /** The cloud was asked to terminate the machine. */
    TERMINATING("terminating"),
    /** The node's machine is gone. */
    INSTANCE_TERMINATED("instance-terminated"),
    /** The cloud has announced a reclaim of the machine: the node's pods leave, and the machine is terminated. */
    RECLAIM_ANNOUNCED("reclaim-announced"),
    /** The machine is broken: the node takes no new pods, its pods leave, and the machine is kept for a while or terminated. */
    SICK("sick"),
    /** The cloud reclaimed the node's spot machine. */
    EVICTED("evicted"),
    /** The node is cordoned by a user or another tool. It is left alone unless it stays idle for a day. */
    CORDONED_BY_OPERATOR("cordoned-by-operator"),
    /** The node was usable and is no longer usable. */
    DEAD("dead"),
    /** The node is never removed: it is a control-plane node, is exempted by an operator, or is malformed. */
    DETACHED("detached"),
    /** The node's pool does not exist or is invalid, so the machine is not removed. */
    ORPHANED("orphaned"),
    /** The node has no pool, or the cloud lists no machine of the pool for the node. */
    UNMANAGED("unmanaged");

    private final String word;

    NodeState(String word) {
        this.word = word;
    }

    /** Returns the word for Events, metrics and logs. */
    @Override
    public String toString() {
        return word;
    }
}
