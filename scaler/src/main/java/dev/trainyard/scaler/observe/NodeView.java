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
 * A node and what runs on it.
 *
 * @param shape with the labels that the scaler gives it, be they set already or not
 * @param providerId the cloud's name of its machine; null when it does not say
 * @param pool the pool it belongs to; empty: none of ours
 * @param foreign whether it is of that pool by its labels only: the pool's cloud lists no machine for it. Pods may run there, and nothing
 *     follows from it for the machines of the pool
 * @param labels how the labels that it really has differ from those
 * @param notReadySince when its condition Ready was lost; empty while it is Ready, and when that is not told
 * @param lastTraining when the last of its training pods that can still be seen ended; empty when none can
 * @param exempt why it is never to be removed (a control-plane node, an operator's wish, malformed); empty when it may be
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
        Marks marks,
        Optional<Instant> lastTraining,
        Optional<String> exempt,
        List<PodOnNode> pods) {

    /** A node that is older when it is first seen did not join just now. */
    private static final Duration ADOPTED = Duration.ofMinutes(1);

    /** Clouds put some labels on a node a moment after it is Ready. */
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

    /** What it is not yet, or not any more, that its pool promises, in words; empty if nothing. A cordon is another matter. */
    public Optional<String> lacking() {
        return Readiness.lacking(shape, ready, pool);
    }

    /** Whether it is all that its pool promises. */
    public boolean isComplete() {
        return lacking().isEmpty();
    }

    /** Whether pods can run on it: it is complete, or it was and what is left of it can be used. */
    public boolean usable() {
        return isComplete() || (wasUsable() && Readiness.isRunning(shape, ready));
    }

    /** What it was and is not any more, in words; empty unless it is used all the same. */
    public Optional<String> damage() {
        return lacking().filter(lost -> usable()).map("it is not %s any more"::formatted);
    }

    /** Whether it is complete, takes pods and has none, aside from those that run on every node. */
    public boolean isFree() {
        return takesPods()
                && isComplete()
                && trainingPods().isEmpty()
                && stuckPods().isEmpty();
    }

    /** Whether pods can be bound to it, and it is to stay: usable, with nobody who keeps pods off or removes it. */
    public boolean takesPods() {
        return usable() && cordon().isOpen() && marks.removal().isEmpty() && !terminating();
    }

    /** Since when it is usable; now if that was not noted, unless it is never noted on this node. Only of use while it is. */
    public Instant usableSince(Instant now) {
        return marks.usableSince().orElse(exempt.isEmpty() ? now : created);
    }

    /** When it has been usable for long enough to have all of its labels: before it can be removed as idle. Only of use while it is usable. */
    public Instant settledAt(Instant now) {
        var settling = pool.map(p -> p.idleAfter().dividedBy(2))
                .filter(half -> half.compareTo(SETTLING) < 0)
                .orElse(SETTLING);
        return usableSince(now).plus(settling);
    }

    /** Whether it is usable, and has been for long enough to have all of its labels. */
    public boolean hasSettled(Instant now) {
        return usable() && !now.isBefore(settledAt(now));
    }

    /** Never was usable, and may still become so. */
    public boolean registering() {
        return !usable() && pool.isPresent() && !wasUsable();
    }

    /** By its mark, or, on a node that was there before the scaler, by what runs on it: what the machine is there for, not any pod. */
    public boolean wasUsable() {
        boolean withGpus = pool.filter(p -> p.promisedGpus() > 0).isPresent();
        return marks.usableSince().isPresent()
                || trainingPods().stream()
                        .anyMatch(pod ->
                                pod.started() && (!withGpus || pod.requests().gpus() > 0));
    }

    /**
     * When it is given up unless it is usable by then. A node that had been there for a while when it was first seen gets its full time from
     * then on: it may have been usable for weeks before somebody made it a pool's.
     *
     * @param ofMachine the deadline of its machine, or of a machine that was made when the node was
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

    /** Pods that should have ended long ago: they keep neither the machine nor a place in the pool's minimum and spares. */
    public List<PodOnNode> stuckPods() {
        return pods.stream().filter(pod -> pod.kind() == PodOnNode.Kind.STUCK).toList();
    }

    public Resources used() {
        return pods.stream().map(PodOnNode::requests).reduce(Resources.NONE, Resources::plus);
    }

    /**
     * Since when no training pod has been on it. What was noted may be older than the end of a pod that ran between two rounds. Without a
     * note the end of a pod that can still be seen says nothing: another one, which was deleted, may have been there until just now.
     *
     * @return empty while a pod is on it, and before it was noted
     */
    public Optional<Instant> idleSince() {
        if (!trainingPods().isEmpty()) {
            return Optional.empty();
        }
        return marks.idleSince()
                .map(noted -> lastTraining.filter(noted::isBefore).orElse(noted));
    }

    /** What keeps new pods off it, readiness aside. */
    public Cordon cordon() {
        return Cordon.of(shape, marks);
    }

    /** Whether the scaler removes it, and it can still be used again: nobody else keeps pods off it. */
    public boolean revocable() {
        return marks.removal().isPresent()
                && marks.terminatingSince().isEmpty()
                && cordon().others().isEmpty();
    }

    public boolean terminating() {
        return marks.terminatingSince().isPresent();
    }

    /** The same node as it would be if the scaler took back its cordon. */
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
