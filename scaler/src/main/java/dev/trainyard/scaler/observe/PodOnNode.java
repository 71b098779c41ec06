package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod that has a node and has not ended.
 *
 * @param shape empty if the pod is malformed; such a pod counts as using no resources, and must not be interrupted
 * @param relations the pod's inter-pod constraints, and the labels of the pod that other pods' constraints match
 * @param kind the pod's role, which decides whether the pod keeps its node busy
 * @param started whether the pod's containers run or have run
 * @param scheduled when the pod got its node; {@link Instant#EPOCH} if unknown
 * @param notices the pod's annotations about reclaims: {@link Names#ENDS_AT}, {@link Names#CHECKPOINT_SINCE},
 *     {@link Names#RECLAIMED_TIMES}
 * @param grace the pod's own termination grace period
 * @param evicted whether the pod is being deleted because of an eviction or a preemption
 * @param endsBy the end of the grace period, by which the kubelet should have ended the pod; empty if the pod is not being deleted
 * @param deadline when the kubelet ends the pod because of {@code activeDeadlineSeconds}; empty if the pod states none or has not started
 * @param interruption whether and when the pod may be interrupted
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
        Map<String, String> notices,
        Duration grace,
        boolean evicted,
        Optional<Instant> endsBy,
        Optional<Instant> deadline,
        Interruption interruption) {

    /** A pod that has not ended this long after {@code endsBy} is overdue, and will not end by itself. */
    public static final Duration OVERDUE = Duration.ofMinutes(1);

    /**
     * A pod that has not ended this long after {@code endsBy} is stuck, and no longer prevents the removal of its machine. A container that
     * hangs in the kernel, such as in a file system or a driver, ends only with the machine.
     */
    public static final Duration STUCK = Duration.ofMinutes(10);

    /** The role of a pod on its node. */
    public enum Kind {
        /** A DaemonSet's pod: every node has one. */
        DAEMON,
        /** A static pod, created by the kubelet from a file. */
        MIRROR,
        /** Any other pod. Machines exist for these pods. */
        TRAINING,
        /** A training pod that has not ended {@link PodOnNode#STUCK} after {@code endsBy}. Its resources stay in use. */
        STUCK
    }

    /**
     * Returns the pods with their kinds at the given time. Training pods that should have ended long ago get {@link Kind#STUCK}.
     *
     * @param ready whether the node is Ready. If the node is not Ready, no pod counts as stuck: its kubelet may have ended the pods without
     *     reporting the end
     */
    public static List<PodOnNode> asOf(Instant now, boolean ready, List<PodOnNode> pods) {
        return ready ? pods.stream().map(pod -> pod.asOf(now)).toList() : pods;
    }

    /** Returns the time since the pod got its node, in seconds, for each of its GPUs; 0 if the time is unknown. */
    public long gpuSeconds(Instant now) {
        return scheduled.isAfter(Instant.EPOCH) && scheduled.isBefore(now)
                ? requests().gpus() * Duration.between(scheduled, now).toSeconds()
                : 0;
    }

    private PodOnNode asOf(Instant now) {
        boolean stuck = kind == Kind.TRAINING
                && endsBy.filter(end -> !now.isBefore(end.plus(STUCK))).isPresent();
        return stuck
                ? new PodOnNode(
                        namespace,
                        name,
                        uid,
                        shape,
                        relations,
                        Kind.STUCK,
                        started,
                        scheduled,
                        notices,
                        grace,
                        evicted,
                        endsBy,
                        deadline,
                        interruption)
                : this;
    }

    public Resources requests() {
        return shape.map(PodShape::requests).orElse(Resources.NONE);
    }

    public boolean keepsNodeBusy() {
        return kind == Kind.TRAINING;
    }

    /** Whether the pod is being deleted. */
    public boolean terminating() {
        return endsBy.isPresent();
    }

    /** Whether the pod should have ended at least {@link #OVERDUE} ago, so that it will not end by itself. */
    public boolean isOverdue(Instant now) {
        return endsBy.filter(end -> !now.isBefore(end.plus(OVERDUE))).isPresent();
    }

    /** Returns the message that a training pod is overdue; empty for other pods. */
    public Optional<String> overdue(Instant now) {
        boolean counts = kind == Kind.TRAINING || kind == Kind.STUCK;
        return endsBy.filter(end -> counts && isOverdue(now))
                .map(end -> "pod %s should have ended by %s and has not".formatted(this, end));
    }

    /**
     * Whether waiting cannot save the pod if its machine does not answer. Such a pod is being deleted, which cannot be undone. Either its
     * interruption is allowed, or it is overdue ({@link #isOverdue}).
     */
    public boolean isLostUnheard(Instant now) {
        return terminating() && (blocker(now).isEmpty() || isOverdue(now));
    }

    /** Returns why the pod must not be interrupted, as text; empty if it may be interrupted. */
    public Optional<String> blocker(Instant now) {
        return interruption.blocker(now);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
