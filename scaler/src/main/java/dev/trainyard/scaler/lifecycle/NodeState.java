package dev.trainyard.scaler.lifecycle;

/** What a node is to the scaler. The words are those that operators of the old autoscalers know, where there was one. */
public enum NodeState {
    /** Its machine is there; it is not Ready, has a taint of a node that starts, or does not show the devices that its pool promises. */
    REGISTERING("registering"),
    /** It was not usable in time. */
    LAUNCH_TIMEOUT("launch-timeout"),
    /** Pods are on it. */
    BUSY("busy"),
    /** It is being removed and pods are on it all the same. */
    BUSY_UNSCHEDULABLE("busy-unschedulable"),
    /** Its room is meant for a pod that waits. */
    POD_PENDING("pod-pending"),
    /** Idle, but not for long enough. */
    GRACE_PERIOD("grace-period"),
    /** Idle and kept warm: the pool's {@code spare}. */
    SPARE_AGENT("spare-agent"),
    /** Idle and kept: the pool is at its {@code min}. */
    ASG_MIN_SIZE("asg-min-size"),
    /** Idle for long enough, and kept: what it was paid for is not over. */
    LAUNCH_HR_GRACE_PERIOD("launch-hr-grace-period"),
    /** Idle for long enough: it goes next. */
    IDLE_SCHEDULABLE("idle-schedulable"),
    /** Cordoned by the scaler and empty: its machine goes. */
    IDLE_UNSCHEDULABLE("idle-unschedulable"),
    /** Little used, and nothing is known to keep what is on it from running elsewhere. */
    UNDER_UTILIZED_DRAINABLE("under-utilized-drainable"),
    /** Little used, but something on it must not be interrupted, or fits nowhere else. */
    UNDER_UTILIZED_UNDRAINABLE("under-utilized-undrainable"),
    /** Cordoned by the scaler; its pods are leaving. */
    DRAINING("draining"),
    /** Its machine was ordered to go. */
    TERMINATING("terminating"),
    /** Its machine is gone. */
    INSTANCE_TERMINATED("instance-terminated"),
    /** A spot machine that its cloud took back. */
    EVICTED("evicted"),
    /** Cordoned by somebody else: never touched. */
    CORDONED_BY_OPERATOR("cordoned-by-operator"),
    /** It was usable and is not any more. */
    DEAD("dead"),
    /** Never to be removed: a control-plane node, or marked so. */
    DETACHED("detached"),
    /** Of a pool that is not there, or cannot be used: nobody removes its machine. */
    ORPHANED("orphaned"),
    /** Of no pool. */
    UNMANAGED("unmanaged");

    private final String word;

    NodeState(String word) {
        this.word = word;
    }

    /** As events, metrics and logs write it. */
    @Override
    public String toString() {
        return word;
    }
}
