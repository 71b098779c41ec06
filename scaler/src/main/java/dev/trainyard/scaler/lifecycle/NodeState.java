package dev.trainyard.scaler.lifecycle;

/** The state of a node for the scaler. The words are those of the old autoscalers, if they had such a state. */
public enum NodeState {
    /** Its machine exists. The node is not Ready, has a startup taint, or does not report the devices that its pool promises. */
    REGISTERING("registering"),
    /** It was not usable in time. */
    LAUNCH_TIMEOUT("launch-timeout"),
    /** It runs training pods. */
    BUSY("busy"),
    /** A pod was placed on it while it was being removed. */
    BUSY_UNSCHEDULABLE("busy-unschedulable"),
    /** Its room is reserved for a pending pod. */
    POD_PENDING("pod-pending"),
    /** Idle, but not for long enough. */
    GRACE_PERIOD("grace-period"),
    /** Idle and kept warm: the pool's {@code spare}. */
    SPARE_AGENT("spare-agent"),
    /** Idle and kept: the pool is at its {@code min}. */
    ASG_MIN_SIZE("asg-min-size"),
    /** Idle for long enough, but kept until the end of the time that is paid for. */
    LAUNCH_HR_GRACE_PERIOD("launch-hr-grace-period"),
    /** Idle for long enough: it is removed next. */
    IDLE_SCHEDULABLE("idle-schedulable"),
    /** Cordoned by the scaler and empty: its machine is terminated next. */
    IDLE_UNSCHEDULABLE("idle-unschedulable"),
    /** Little used, and there is no known reason why its pods could not run elsewhere. */
    UNDER_UTILIZED_DRAINABLE("under-utilized-drainable"),
    /** Little used, but one of its pods must not be interrupted, or fits nowhere else. */
    UNDER_UTILIZED_UNDRAINABLE("under-utilized-undrainable"),
    /** Cordoned by the scaler; its pods are leaving. */
    DRAINING("draining"),
    /** The cloud was asked to terminate its machine. */
    TERMINATING("terminating"),
    /** Its machine is gone. */
    INSTANCE_TERMINATED("instance-terminated"),
    /** A spot machine that its cloud reclaimed. */
    EVICTED("evicted"),
    /** Cordoned by a user or another tool: left alone, unless it stays idle for a day. */
    CORDONED_BY_OPERATOR("cordoned-by-operator"),
    /** It was usable and no longer is. */
    DEAD("dead"),
    /** Never removed: a control-plane node, or a node with such a mark. */
    DETACHED("detached"),
    /** Of a pool that is missing or invalid: its machine is not removed. */
    ORPHANED("orphaned"),
    /** Of no pool, or on none of its pool's machines. */
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
