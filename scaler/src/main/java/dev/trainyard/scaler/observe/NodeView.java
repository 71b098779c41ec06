package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node and its pods.
 *
 * @param shape includes the labels that the scaler gives the node, whether they are set already or not
 * @param providerId the cloud's name of its machine; null if the node has none
 * @param pool the pool of the node; empty if it belongs to none
 * @param foreign whether it belongs to that pool by its labels only: the pool's cloud lists no machine for it. Pods may run there, but the
 *     node does not count for the pool's machines
 * @param labels the differences between its real labels and those of the scaler
 * @param notReadySince when its condition Ready was lost; empty while it is Ready, or if the time is unknown
 * @param lastTraining when the last of its training pods that still exist ended; empty if there is none
 * @param exempt why it is never removed (a control-plane node, an operator's mark, malformed); empty if it may be removed
 */
public record NodeView(
        NodeShape shape,
        @Nullable String providerId,
        Optional<Pool> pool,
        boolean foreign,
        NodeLabels labels,
        boolean ready,
        Optional<Instant> notReadySince,
        Instant created,
        ScalerAnnotations marks,
        Optional<Instant> lastTraining,
        Optional<String> exempt,
        List<PodOnNode> pods) {

    /** A node older than this when the scaler first sees it did not join just now. */
    private static final Duration ADOPTED = Duration.ofMinutes(1);

    /** The time to wait for labels that clouds add a moment after a node is Ready. */
    private static final Duration SETTLING = Duration.ofSeconds(30);

    public NodeView {
        pods = List.copyOf(pods);
    }

    public String name() {
        return shape.name();
    }

    /** Whether this is the node of {@code machine}. */
    public boolean isOn(Machine machine) {
        // Azure writes the same resource id in different cases in different places.
        return machine.providerId().equalsIgnoreCase(providerId)
                || (machine.nodeName() != null && machine.nodeName().equals(name()));
    }

    /** Returns what the node lacks of its pool's promise, as text; empty if nothing. A cordon does not count. */
    public Optional<String> lacking() {
        return Readiness.lacking(shape, ready, pool);
    }

    /** Whether it has everything that its pool promises. */
    public boolean isComplete() {
        return lacking().isEmpty();
    }

    /** Whether pods can run on it: it is complete, or it was complete and the rest can be used. */
    public boolean usable() {
        return isComplete() || (wasUsable() && Readiness.isRunning(shape, ready));
    }

    /** Returns what the node has lost but is used without, as text; empty if nothing. */
    public Optional<String> damage() {
        return lacking().filter(lost -> usable()).map("the node is no longer %s"::formatted);
    }

    /** Whether it is complete, takes pods and has none, except those that run on every node. */
    public boolean isFree() {
        return takesPods()
                && isComplete()
                && trainingPods().isEmpty()
                && stuckPods().isEmpty();
    }

    /** Whether pods can be bound to it and it will stay: it is usable, not cordoned, and not being removed. */
    public boolean takesPods() {
        return usable() && cordon().isOpen() && marks.removal().isEmpty() && !terminating();
    }

    /**
     * Returns since when it is usable. An unknown time counts as now, or as the node's creation if it is exempt. Only valid while it is
     * usable.
     */
    public Instant usableSince(Instant now) {
        return marks.usableSince().orElse(exempt.isEmpty() ? now : created);
    }

    /**
     * Returns when it will have been usable long enough to have all of its labels, which is before it can be removed as idle. Only valid
     * while it is usable.
     */
    public Instant settledAt(Instant now) {
        var settling = pool.map(p -> p.idleAfter().dividedBy(2))
                .filter(half -> half.compareTo(SETTLING) < 0)
                .orElse(SETTLING);
        return usableSince(now).plus(settling);
    }

    /** Whether it has been usable long enough to have all of its labels. */
    public boolean hasSettled(Instant now) {
        return usable() && !now.isBefore(settledAt(now));
    }

    /** Whether it was never usable and may still become so. */
    public boolean registering() {
        return !usable() && pool.isPresent() && !wasUsable();
    }

    /**
     * Whether it was usable: by its mark, or, on a node older than the scaler, by a training pod that ran on it. On GPU nodes, only GPU
     * pods count.
     */
    public boolean wasUsable() {
        boolean withGpus = pool.filter(p -> p.promisedGpus() > 0).isPresent();
        return marks.usableSince().isPresent()
                || trainingPods().stream()
                        .anyMatch(pod ->
                                pod.started() && (!withGpus || pod.requests().gpus() > 0));
    }

    /**
     * Returns when the node is given up unless it is usable by then. A node that was old when the scaler first saw it gets the full timeout
     * from then on: it may have been usable for weeks before it was assigned to a pool.
     *
     * @param ofMachine the launch deadline of its machine, or of a machine created with the node
     */
    public Instant launchDeadline(Instant ofMachine, Duration timeout, Instant now) {
        // An exempt node is never annotated: if it always counted as just seen, pods would wait for it without end.
        var seen = marks.seenSince().orElse(exempt.isEmpty() ? now : created);
        var fromThen = seen.plus(timeout);
        return seen.isAfter(created.plus(ADOPTED)) && fromThen.isAfter(ofMachine) ? fromThen : ofMachine;
    }

    public List<PodOnNode> trainingPods() {
        return pods.stream().filter(PodOnNode::keepsNodeBusy).toList();
    }

    /** Returns pods that should have ended long ago. They do not keep the machine, and do not count in the pool's minimum and spares. */
    public List<PodOnNode> stuckPods() {
        return pods.stream().filter(pod -> pod.kind() == PodOnNode.Kind.STUCK).toList();
    }

    public Resources used() {
        return pods.stream().map(PodOnNode::requests).reduce(Resources.NONE, Resources::plus);
    }

    /**
     * Returns since when no training pod has been on it. The noted time may be older than the end of a pod that ran between two rounds.
     * Without a note, the end of a pod that still exists proves nothing: another pod, deleted since, may have run until just now.
     *
     * @return empty while a pod is on it, and before the time was noted
     */
    public Optional<Instant> idleSince() {
        if (!trainingPods().isEmpty()) {
            return Optional.empty();
        }
        return marks.idleSince()
                .map(noted -> lastTraining.filter(noted::isBefore).orElse(noted));
    }

    /** Returns what keeps new pods off it, apart from its readiness. */
    public Cordon cordon() {
        return Cordon.of(shape, marks);
    }

    /** Whether the scaler can still cancel the removal of this node: termination has not begun, and only the scaler keeps pods off. */
    public boolean revocable() {
        return marks.removal().isPresent()
                && marks.terminatingSince().isEmpty()
                && cordon().others().isEmpty();
    }

    public boolean terminating() {
        return marks.terminatingSince().isPresent();
    }

    /** Returns its shape without the scaler's cordon. */
    public NodeShape uncordoned() {
        return new NodeShape(
                shape.name(),
                shape.labels(),
                Cordon.withoutCordons(shape.taints()),
                true,
                shape.allocatable(),
                shape.gpu());
    }
}
