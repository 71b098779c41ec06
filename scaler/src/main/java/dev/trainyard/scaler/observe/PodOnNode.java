package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A pod that has a node and has not ended.
 *
 * @param shape empty if the pod is malformed; it counts as using nothing then, and must not be interrupted
 * @param relations its relations to other pods, and its demands of them
 * @param kind whether it keeps its node busy
 * @param started whether its containers run or have run
 * @param scheduled when it got its node; long ago if unknown
 * @param endsBy when it must have ended if it is being deleted and its kubelet answers; empty if it is not being deleted
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

    /** A pod that has not ended this long after its deadline will not end by itself. */
    public static final Duration OVERDUE = Duration.ofMinutes(1);

    /**
     * A pod that has not ended this long after its deadline no longer keeps its machine. A container that hangs in the kernel, in a file
     * system or a driver, ends only with the machine.
     */
    public static final Duration STUCK = Duration.ofMinutes(10);

    /** The role of a pod on its node. */
    public enum Kind {
        /** A DaemonSet's pod: every node has one. */
        DAEMON,
        /** A static pod, created by the kubelet from a file. */
        MIRROR,
        /** All other pods, which the machine exists for. */
        TRAINING,
        /** A training pod that has not ended {@link PodOnNode#STUCK} after its deadline. Its resources stay in use. */
        STUCK
    }

    /**
     * Returns the pods with their kinds at that time: {@link Kind#STUCK} if they should have ended long ago.
     *
     * @param ready whether the node is Ready; a kubelet that does not answer may have ended them, or may still do so
     */
    public static List<PodOnNode> asOf(Instant now, boolean ready, List<PodOnNode> pods) {
        return ready ? pods.stream().map(pod -> pod.asOf(now)).toList() : pods;
    }

    private PodOnNode asOf(Instant now) {
        boolean stuck = kind == Kind.TRAINING
                && endsBy.filter(end -> !now.isBefore(end.plus(STUCK))).isPresent();
        return stuck
                ? new PodOnNode(
                        namespace, name, uid, shape, relations, Kind.STUCK, started, scheduled, endsBy, interruption)
                : this;
    }

    public Resources requests() {
        return shape.map(PodShape::requests).orElse(Resources.NONE);
    }

    public boolean keepsNodeBusy() {
        return kind == Kind.TRAINING;
    }

    /** Whether it is being deleted. */
    public boolean terminating() {
        return endsBy.isPresent();
    }

    /** Whether it should have ended long ago, so that it will not end by itself. */
    public boolean isOverdue(Instant now) {
        return endsBy.filter(end -> !now.isBefore(end.plus(OVERDUE))).isPresent();
    }

    /** Returns the message that it is overdue; empty if it is not. */
    public Optional<String> overdue(Instant now) {
        boolean counts = kind == Kind.TRAINING || kind == Kind.STUCK;
        return endsBy.filter(end -> counts && isOverdue(now))
                .map(end -> "pod %s should have ended by %s and has not".formatted(this, end));
    }

    /**
     * Whether nothing of it can be saved on a machine that does not answer. The pod is being deleted, which cannot be undone, and either
     * needs no time to end or has had the time that its author set.
     */
    public boolean isLostUnheard(Instant now) {
        return terminating() && (blocker(now).isEmpty() || isOverdue(now));
    }

    /** Returns why it must not be interrupted, as text; empty if it may be. */
    public Optional<String> blocker(Instant now) {
        return interruption.blocker(now);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
