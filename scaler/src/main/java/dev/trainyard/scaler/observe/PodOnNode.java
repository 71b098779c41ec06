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

    /** A pod that has not ended this long after it had to, does not end by itself. */
    public static final Duration OVERDUE = Duration.ofMinutes(1);

    /**
     * A pod that has not ended this long after it had to does not keep its machine any more: a container that hangs in the kernel, on a file
     * system or a driver, ends only with the machine.
     */
    public static final Duration STUCK = Duration.ofMinutes(10);

    /** What a pod is to its node. */
    public enum Kind {
        /** One of a DaemonSet: there is one on every node. */
        DAEMON,
        /** Made by the kubelet from a file. */
        MIRROR,
        /** All others: what the machine is there for. */
        TRAINING,
        /** One of these that did not end {@link PodOnNode#STUCK} after it had to. What it takes stays taken. */
        STUCK
    }

    /**
     * What the pods of a node are at that time: {@link Kind#STUCK} if they should have ended long ago.
     *
     * @param ready whether the node is Ready; a kubelet that is silent may have ended them, or may still do so
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

    /** Whether it has been told to end. */
    public boolean terminating() {
        return endsBy.isPresent();
    }

    /** Whether it has not ended long after it had to: it does not end by itself. */
    public boolean isOverdue(Instant now) {
        return endsBy.filter(end -> !now.isBefore(end.plus(OVERDUE))).isPresent();
    }

    /** That it is overdue, in words; empty when it is not. */
    public Optional<String> overdue(Instant now) {
        boolean counts = kind == Kind.TRAINING || kind == Kind.STUCK;
        return endsBy.filter(end -> counts && isOverdue(now))
                .map(end -> "pod %s had to end by %s and has not".formatted(this, end));
    }

    /**
     * Whether nothing of it can be saved on a machine that does not answer: it was told to end, which nobody can take back, and has had the time
     * for it that its author wants for it, or needs none.
     */
    public boolean isLostUnheard(Instant now) {
        return terminating() && (blocker(now).isEmpty() || isOverdue(now));
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
