package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.observe.DisruptionBudget;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Refusals;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The next step for a node that the scaler is removing, until the cloud is asked to terminate the node's machine. */
final class Draining {

    /**
     * The shortest time from the cordon to the termination. After this time, the scaler sees all pods that the scheduler had begun to bind
     * before the cordon.
     */
    static final Duration SETTLING = Duration.ofSeconds(2);

    /**
     * How long a machine stays after the scaler has emptied it, in case the scheduler does not place its pods on other machines.
     * Controllers recreate a pod in less time: a Job waits ten seconds at first.
     */
    static final Duration RESETTLING = Duration.ofMinutes(1);

    /** If the scaler cannot empty a machine within this time, the machine takes new pods again. */
    static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(10);

    private final Snapshot snapshot;
    private final Set<String> reserved;
    private final Instant now;

    /** @param reserved nodes that the plan reserves for pending pods */
    Draining(Snapshot snapshot, Set<String> reserved) {
        this.snapshot = snapshot;
        this.reserved = reserved;
        this.now = snapshot.now();
    }

    Verdict judge(NodeView node, PoolView pool, Optional<Machine> machine, Removal removal) {
        return takenBack(node, pool, removal)
                .or(() -> occupied(node, pool, removal))
                .or(() -> settling(node, removal))
                .or(() -> machine.map(m -> Verdict.act(
                        node, NodeState.IDLE_UNSCHEDULABLE, removal.reason().toString(), new Verdict.Terminate(m))))
                .orElseGet(() -> Verdict.keep(
                        node, NodeState.IDLE_UNSCHEDULABLE, "pool %s cannot be read".formatted(pool.name())));
    }

    /** Returns a verdict that cancels the removal, or that it may soon be cancelled; empty if the reason for the removal still applies. */
    private Optional<Verdict> takenBack(NodeView node, PoolView pool, Removal removal) {
        if (removal.reason() == Removal.Reason.RECLAIM_ANNOUNCED) {
            return uncordon(
                    node,
                    NodeState.GRACE_PERIOD,
                    node.notice()
                            .filter(notice -> notice.kind() == NodeNotice.Kind.OUTLIVED)
                            .map(NodeNotice::outlived)
                            .orElse("the cloud no longer announces a reclaim"));
        }
        var others = node.cordon().others();
        if (removal.reason() == Removal.Reason.SICK && others.isEmpty()) {
            return node.unsettled()
                    .map(notice -> Verdict.keepUntil(node, NodeState.SICK, notice.toString(), notice.deadline()))
                    .or(() ->
                            uncordon(node, NodeState.GRACE_PERIOD, "nothing says any more that the machine is broken"));
        }
        if (removal.reason() == Removal.Reason.LEFT_CORDONED && others.isEmpty()) {
            return uncordon(
                    node,
                    NodeState.GRACE_PERIOD,
                    "the cordon or taint that was not the scaler's was removed: the scaler cancels the removal");
        }
        if (removal.reason() != Removal.Reason.LEFT_CORDONED && others.isPresent()) {
            return uncordon(
                    node,
                    NodeState.CORDONED_BY_OPERATOR,
                    others.get() + " since the scaler began the removal: the scaler cancels the removal");
        }
        if (!node.cordon().own()) {
            return uncordon(
                    node, NodeState.GRACE_PERIOD, "the scaler's taint was removed by hand: the idle time starts again");
        }
        if (reserved.contains(node.name())) {
            return uncordon(node, NodeState.POD_PENDING, "the node is reserved for pending pods again");
        }
        if (removal.reason() == Removal.Reason.LAUNCH_TIMEOUT && node.usable()) {
            return uncordon(node, NodeState.GRACE_PERIOD, "the node became usable");
        }
        if (removal.reason() == Removal.Reason.DEAD && node.ready()) {
            return uncordon(node, NodeState.GRACE_PERIOD, "the node is Ready again");
        }
        var staying = staying(node);
        boolean idle = removal.reason() == Removal.Reason.IDLE || removal.reason() == Removal.Reason.LEFT_CORDONED;
        if (idle && !staying.isEmpty()) {
            return placedMeanwhile(node, staying.get(0));
        }
        return removal.movesPods() && !staying.isEmpty() ? notMoved(node, pool, removal, staying) : Optional.empty();
    }

    /** Returns a verdict that cancels the removal of a machine because its pods may not or cannot move; empty if they can. */
    private Optional<Verdict> notMoved(NodeView node, PoolView pool, Removal removal, List<PodOnNode> staying) {
        boolean returns = removal.reason() == Removal.Reason.RETURN_TO_SPOT;
        var kept = returns ? NodeState.BUSY : NodeState.UNDER_UTILIZED_UNDRAINABLE;
        var obstacle = blocking(staying, now);
        if (obstacle.isPresent()) {
            return uncordon(node, kept, obstacle.get());
        }
        if (SpotReturns.isWithoutPlace(node, snapshot)) {
            return uncordon(node, kept, "no usable spot machine has room for its pods any more");
        }
        var tiers = snapshot.catalogue().tiers();
        var tied = staying.stream()
                .flatMap(pod -> Mobility.notResumable(pod, tiers).stream()
                        .map(why -> "pod %s is not moved: %s".formatted(pod, why)))
                .findFirst();
        if (tied.isPresent()) {
            return uncordon(node, kept, tied.get());
        }
        // A machine is chosen only if all pods that the scaler sees there are older than this grace.
        // If a pod was younger at the time of the cordon, the scaler had not seen the pod yet: bindings become visible
        // late, and reading the clouds takes time.
        var unseen = staying.stream()
                .filter(pod -> removal.since()
                        .isBefore(PoolView.after(
                                pod.scheduled(),
                                returns
                                        ? SpotReturns.after(pod, tiers)
                                        : pool.pool().drainGrace())))
                .findFirst();
        if (unseen.isPresent()) {
            return placedMeanwhile(node, unseen.get());
        }
        return now.isBefore(removal.since().plus(DRAIN_TIMEOUT))
                ? Optional.empty()
                : uncordon(
                        node,
                        kept,
                        "%s; the drain timeout of %s is over"
                                .formatted(refused(staying), Durations.format(DRAIN_TIMEOUT)));
    }

    private static Optional<Verdict> placedMeanwhile(NodeView node, PodOnNode pod) {
        return uncordon(node, NodeState.BUSY_UNSCHEDULABLE, "pod %s was placed on the node meanwhile".formatted(pod));
    }

    /** Returns the verdict while pods are on the node; empty if no pods are left. */
    private Optional<Verdict> occupied(NodeView node, PoolView pool, Removal removal) {
        var staying = staying(node);
        var obstacle = blocking(staying, now);
        if (obstacle.isPresent()) {
            return Optional.of(Verdict.keep(node, NodeState.DRAINING, obstacle.get()));
        }
        if (!staying.isEmpty()) {
            var next = node.marks().refusals().map(Refusals::next).filter(now::isBefore);
            return Optional.of(next.map(at -> Verdict.keepUntil(node, NodeState.DRAINING, refused(staying), at))
                    .orElseGet(() -> Verdict.act(
                            node,
                            NodeState.DRAINING,
                            staying.size() == 1 ? "1 pod has to leave" : staying.size() + " pods have to leave",
                            new Verdict.Evict(staying))));
        }
        // The kubelet of a dead node cannot confirm that a pod has ended, so pods that cannot be saved are ignored.
        var leaving = node.trainingPods().stream()
                .filter(pod -> removal.reason() != Removal.Reason.DEAD || !pod.isLostUnheard(now))
                .toList();
        return leaving.isEmpty() ? Optional.empty() : Optional.of(leaving(node, pool, leaving));
    }

    /**
     * Returns the verdict while pods are terminating. Even a long grace period is respected, since the pod's author chose it for a purpose.
     */
    Verdict leaving(NodeView node, PoolView pool, List<PodOnNode> leaving) {
        var overdue = leaving.stream().filter(pod -> pod.isOverdue(now)).findFirst();
        if (overdue.isPresent()) {
            return overdue(node, pool, leaving, overdue.get());
        }
        var pod = leaving.get(0);
        var end = pod.endsBy().orElse(now);
        return Verdict.keepUntil(
                node,
                NodeState.DRAINING,
                "pod %s is terminating and must end by %s".formatted(pod, end),
                end.plus(PodOnNode.OVERDUE));
    }

    /**
     * Judges a node with a pod that should have ended by now. If the node is not Ready, its kubelet cannot confirm that the pods have
     * ended. Once such a node counts as dead and all grace periods are over, it is removed like a dead node.
     */
    private Verdict overdue(NodeView node, PoolView pool, List<PodOnNode> leaving, PodOnNode pod) {
        var words = pod.overdue(now).orElseThrow();
        if (node.ready()) {
            var until = pod.endsBy().orElse(now).plus(PodOnNode.STUCK);
            return Verdict.keepUntil(
                    node,
                    NodeState.DRAINING,
                    "%s: its kubelet has not reported the end, or a finalizer holds the pod; the scaler waits until %s"
                            .formatted(words, until),
                    until);
        }
        words += ", and its node is not Ready";
        var dead = Lifecycle.deadFrom(node, pool);
        if (dead.isEmpty()) {
            return Verdict.keep(node, NodeState.DRAINING, words);
        }
        var until = Stream.concat(
                        dead.stream(),
                        leaving.stream()
                                .flatMap(other -> other.endsBy().stream())
                                .map(end -> end.plus(PodOnNode.OVERDUE)))
                .max(Comparator.naturalOrder())
                .orElse(now);
        return now.isBefore(until)
                ? Verdict.keepUntil(node, NodeState.DRAINING, words, until)
                : Verdict.act(node, NodeState.DEAD, words, new Verdict.Cordon(new Removal(Removal.Reason.DEAD, now)));
    }

    private Optional<Verdict> settling(NodeView node, Removal removal) {
        var settled = removal.since().plus(SETTLING);
        if (now.isBefore(settled)) {
            return Optional.of(
                    Verdict.keepUntil(node, NodeState.IDLE_UNSCHEDULABLE, "the node was cordoned just now", settled));
        }
        var resettled = node.idleSince().orElse(now).plus(RESETTLING);
        return removal.movesPods() && now.isBefore(resettled)
                ? Optional.of(Verdict.keepUntil(
                        node,
                        NodeState.IDLE_UNSCHEDULABLE,
                        "the node was drained; its machine stays for one minute, so that its pods can be placed elsewhere",
                        resettled))
                : Optional.empty();
    }

    /** Returns a message about a pod that must not be interrupted; empty if there is no such pod. */
    static Optional<String> blocking(Collection<PodOnNode> pods, Instant now) {
        return pods.stream()
                .flatMap(pod ->
                        pod.blocker(now).stream().map(why -> "pod %s must not be interrupted: %s".formatted(pod, why)))
                .findFirst();
    }

    private String refused(List<PodOnNode> staying) {
        var refusing = staying.stream()
                .flatMap(pod -> budgets(pod)
                        .filter(budget -> budget.allowed() < 1)
                        .map(budget -> "pod %s cannot be evicted: disruption budget %s allows no eviction"
                                .formatted(pod, budget)))
                .findFirst();
        return refusing.orElseGet(() -> "the eviction of pod %s was refused".formatted(staying.get(0)));
    }

    private Stream<DisruptionBudget> budgets(PodOnNode pod) {
        return snapshot.budgets().stream().filter(budget -> budget.pods().contains(pod.uid()));
    }

    private static List<PodOnNode> staying(NodeView node) {
        return node.trainingPods().stream().filter(pod -> !pod.terminating()).toList();
    }

    private static Optional<Verdict> uncordon(NodeView node, NodeState state, String why) {
        return Optional.of(Verdict.act(node, state, why, new Verdict.Uncordon()));
    }
}
