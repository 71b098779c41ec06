package dev.trainyard.scaler.lifecycle;

/** The state of a node as the scaler sees it. The words are those of the autoscalers that Trainyard replaces, if these had such a state. */
public enum NodeState {
    /** The machine exists, but the node is not Ready, has a startup taint, or does not report the devices that its pool promises. */
    REGISTERING("registering"),
    /** The node was not usable within the pool's provision timeout. */
    LAUNCH_TIMEOUT("launch-timeout"),
    /** The node runs training pods. */
    BUSY("busy"),
    /** A pod was placed on the node during the removal. */
    BUSY_UNSCHEDULABLE("busy-unschedulable"),
    /** The node is reserved for a pending pod. */
    POD_PENDING("pod-pending"),
    /** Idle, but not yet for the pool's {@code idleAfter}. */
    GRACE_PERIOD("grace-period"),
    /** Idle, and kept as one of the pool's {@code spare} machines. */
    SPARE_AGENT("spare-agent"),
    /** Idle and kept: the pool is at its {@code min}. */
    ASG_MIN_SIZE("asg-min-size"),
    /** Idle for long enough, but kept until near the end of the paid billing increment. */
    LAUNCH_HR_GRACE_PERIOD("launch-hr-grace-period"),
    /** Idle for long enough: the machine is removed next. */
    IDLE_SCHEDULABLE("idle-schedulable"),
    /** Cordoned by the scaler and empty: the machine is terminated next. */
    IDLE_UNSCHEDULABLE("idle-unschedulable"),
    /** Little used, and no reason is known why the node's pods could not run elsewhere. */
    UNDER_UTILIZED_DRAINABLE("under-utilized-drainable"),
    /** Little used, but one of the node's pods must not be interrupted, or fits nowhere else. */
    UNDER_UTILIZED_UNDRAINABLE("under-utilized-undrainable"),
    /** Cordoned by the scaler; the node's pods are leaving. */
    DRAINING("draining"),
    /** The cloud was asked to terminate the machine. */
    TERMINATING("terminating"),
    /** The node's machine is gone. */
    INSTANCE_TERMINATED("instance-terminated"),
    /** The cloud reclaimed the node's spot machine. */
    EVICTED("evicted"),
    /** Cordoned by a user or another tool: left alone, unless the node stays idle for a day. */
    CORDONED_BY_OPERATOR("cordoned-by-operator"),
    /** The node was usable and no longer is. */
    DEAD("dead"),
    /** Never removed: a control-plane node, a node that an operator exempted, or a malformed node. */
    DETACHED("detached"),
    /** The node's pool is missing or invalid: the machine is not removed. */
    ORPHANED("orphaned"),
    /** The node has no pool, or is on none of its pool's machines. */
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
