package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Refusals;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The next steps for nodes whose machines are broken. The same plan has requested machines for the node's pods before they are evicted. Pods
 * that must not be interrupted stay, and disruption budgets and grace periods are respected, since a broken machine may still do useful work.
 * The empty machine is kept for as long as its pool says, then terminated.
 */
final class SickMachine {

    private final Snapshot snapshot;
    private final Instant now;

    SickMachine(Snapshot snapshot) {
        this.snapshot = snapshot;
        this.now = snapshot.now();
    }

    /** Whether the machine is replaced because it is broken. A node that has also stopped answering may be removed as dead instead. */
    static boolean isReplaced(NodeView node) {
        boolean dead = !node.ready()
                && node.marks()
                        .removal()
                        .filter(removal -> removal.reason() == Removal.Reason.DEAD)
                        .isPresent();
        return !dead
                && node.notice()
                        .filter(notice -> notice.kind() == NodeNotice.Kind.SICK)
                        .isPresent();
    }

    /** Whether the replacement of the machine has begun and is cancelled, because the machine is no longer broken. */
    static boolean isCancelled(NodeView node) {
        return node.isRemovedAsSick() && !node.isSick() && node.unsettled().isEmpty();
    }

    /** Returns the verdict on a broken machine that is replaced later. */
    Verdict later(NodeView node, PoolView pool) {
        if (pool.state().isEmpty()) {
            return Verdict.keep(node, NodeState.SICK, notice(node) + unread(pool));
        }
        int machines = pool.pool().sick().limit(snapshot.nodesOf(pool.name()).size());
        return Verdict.keep(
                node,
                NodeState.SICK,
                notice(node)
                        + "; "
                        + node.stayingBecause(snapshot.staying())
                                .orElseGet(() ->
                                        "it is replaced later, since at most %d broken %s of the pool may be replaced or kept at a time"
                                                .formatted(machines, machines == 1 ? "machine" : "machines")));
    }

    Verdict judge(NodeView node, PoolView pool, Optional<Machine> machine) {
        var staying =
                node.trainingPods().stream().filter(pod -> !pod.terminating()).toList();
        var evicted = staying.stream()
                .filter(pod -> snapshot.staying().reason(pod).isEmpty())
                .toList();
        var removal = node.marks()
                .removal()
                .filter(begun ->
                        begun.reason() == Removal.Reason.SICK && node.cordon().own());
        if (removal.isEmpty()) {
            return act(node, new Verdict.Drain(new Removal(Removal.Reason.SICK, now), new Verdict.Evict(evicted)));
        }
        if (!evicted.isEmpty()) {
            return evict(node, evicted);
        }
        if (!staying.isEmpty()) {
            return Verdict.keep(
                    node,
                    NodeState.SICK,
                    notice(node) + "; "
                            + node.stayingBecause(snapshot.staying()).orElseThrow());
        }
        return node.trainingPods().isEmpty() ? empty(node, pool, machine, removal.get()) : leaving(node, pool);
    }

    private Verdict evict(NodeView node, List<PodOnNode> evicted) {
        return node.marks()
                .refusals()
                .map(Refusals::next)
                .filter(now::isBefore)
                .map(at -> keepUntil(node, "; the eviction of pod %s was refused".formatted(evicted.get(0)), at))
                .orElseGet(() -> act(node, new Verdict.Evict(evicted)));
    }

    private Verdict leaving(NodeView node, PoolView pool) {
        var verdict = new Draining(snapshot, Set.of()).leaving(node, pool, node.trainingPods());
        return verdict.step() instanceof Verdict.Keep
                ? new Verdict(
                        node, NodeState.SICK, notice(node) + "; " + verdict.reason(), verdict.step(), verdict.recheck())
                : verdict;
    }

    private Verdict empty(NodeView node, PoolView pool, Optional<Machine> machine, Removal removal) {
        var settled = removal.since().plus(Draining.SETTLING);
        if (now.isBefore(settled)) {
            return keepUntil(node, "; the node was cordoned just now", settled);
        }
        var keepFor = pool.pool().sick().keepFor();
        var until = PoolView.after(node.idleSince().orElse(now), keepFor);
        if (now.isBefore(until)) {
            return keepUntil(
                    node,
                    "; the empty machine is kept until %s (scaleDown.sick.keepFor: %s)"
                            .formatted(until, Durations.format(keepFor)),
                    until);
        }
        return machine.map(m -> act(node, new Verdict.Terminate(m)))
                .orElseGet(() -> Verdict.keep(node, NodeState.SICK, notice(node) + unread(pool)));
    }

    private static String unread(PoolView pool) {
        return "; pool %s cannot be read".formatted(pool.name());
    }

    private static String notice(NodeView node) {
        return node.notice().map(NodeNotice::toString).orElse("");
    }

    private static Verdict act(NodeView node, Verdict.Step step) {
        return Verdict.act(node, NodeState.SICK, notice(node), step);
    }

    private static Verdict keepUntil(NodeView node, String more, Instant recheck) {
        return Verdict.keepUntil(node, NodeState.SICK, notice(node) + more, recheck);
    }
}
