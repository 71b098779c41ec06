package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The lifecycle of nodes: decides the state of each node and the next step for the node. A pure function: the same snapshot gives the same
 * verdicts. If the snapshot shows that a step is done, the verdict requests the next step.
 *
 * <p>A machine is removed in four steps. Each step is recorded in the cluster, so that the scaler can continue after a restart. First, the
 * node gets a taint, and an annotation with the reason. Second, its pods leave. Third, once the scheduler has had time to notice the taint,
 * the node gets an annotation that its termination has begun, and the cloud is asked to terminate the machine. Fourth, once the machine is
 * missing in the cloud's complete list of machines, the Node object is deleted. Until the termination has begun, the removal is cancelled
 * if a pod needs the node.
 *
 * <p>If the cloud has announced a reclaim of the machine, the first two steps are one: the node gets the taint, and its pods are
 * evicted in the same round.
 *
 * <p>The machine of a {@linkplain SickMachine broken} node is emptied in the same way. It may be kept for a while before it is terminated.
 *
 * <p>Another case differs: a node was usable, is not Ready, and the cloud reports its machine as failed. Then the Node object is deleted first,
 * and the machine is terminated afterwards.
 */
public final class Lifecycle {

    /**
     * How long a machine must be missing in the cloud's list before its node is deleted, if the node is not Ready. The delay is needed
     * since one list may be wrong, and since a kubelet may restart. The delay also applies if the cloud lists the machine as failed.
     */
    static final Duration ABSENCE = Duration.ofMinutes(1);

    /**
     * The delay that replaces {@link #ABSENCE} for a spot machine that was in service. This delay is shorter, since the cloud has probably
     * reclaimed the machine, and the pods should run again soon.
     */
    static final Duration TAKEN_BACK = Duration.ofSeconds(10);

    /** A node that is both idle and cordoned by a user or another tool is removed after this time. */
    static final Duration LEFT_CORDONED = Duration.ofHours(24);

    private final Snapshot snapshot;
    private final Set<String> reserved;
    private final SickMachine sickMachine;

    private Lifecycle(Snapshot snapshot, Set<String> reserved) {
        this.snapshot = snapshot;
        this.reserved = reserved;
        this.sickMachine = new SickMachine(snapshot);
    }

    /**
     * Judges every node of a snapshot.
     *
     * @param reserved nodes that the plan reserves for pending pods
     * @return one verdict for every node, in the snapshot's order of nodes
     */
    public static List<Verdict> judge(Snapshot snapshot, Set<String> reserved) {
        var lifecycle = new Lifecycle(snapshot, reserved);
        var verdicts = snapshot.nodes().stream()
                .map(lifecycle::judge)
                .map(lifecycle::withGangs)
                .toList();
        var allowance = Allowance.of(snapshot, verdicts);
        var chosen = new Selection(snapshot, allowance).choose(verdicts);
        var mobility = new Mobility(snapshot);
        var returning = SpotReturns.choose(snapshot, reserved, allowance, mobility, chosen);
        return new Consolidation(snapshot, reserved, allowance, mobility).choose(returning);
    }

    /** Returns the verdict, changed if the node stays and pods leave it with their gang. */
    private Verdict withGangs(Verdict verdict) {
        if (!(verdict.step() instanceof Verdict.Keep)
                || verdict.node().reclaim().isPresent()
                || SickMachine.isReplaced(verdict.node())) {
            return verdict;
        }
        var leaving = verdict.node().trainingPods().stream()
                .filter(pod ->
                        !pod.terminating() && snapshot.gangLeaveNotice(pod).isPresent())
                .toList();
        // Pods of two gangs leave in two rounds if their notices differ.
        return leaving.stream()
                .flatMap(pod -> snapshot.gangLeaveNotice(pod).stream())
                .min(NodeNotice.BY_URGENCY)
                .map(notice -> new AnnouncedReclaim(notice, snapshot.now())
                        .judge(
                                verdict,
                                leaving.stream()
                                        .filter(pod ->
                                                snapshot.gangLeaveNotice(pod).equals(Optional.of(notice)))
                                        .toList()))
                .orElse(verdict);
    }

    private Verdict judge(NodeView node) {
        var pool = node.pool().map(p -> snapshot.pools().get(p.name())).orElse(null);
        if (pool == null) {
            return ofNoPool(node);
        }
        if (node.exempt().isPresent() && !SickMachine.isCancelled(node)) {
            return Verdict.keep(node, NodeState.DETACHED, node.exempt().get());
        }
        var machine = pool.machineOf(node);
        if (pool.state().isPresent() && machine.isEmpty()) {
            return gone(node, pool);
        }
        boolean held = machine.filter(Machine::isHeld).isPresent();
        boolean ends = machine.filter(m -> !m.counts()).isPresent();
        if (node.terminating() || (ends && !(node.reclaim().isPresent() && (node.ready() || held)))) {
            return leaving(node, machine);
        }
        if (node.reclaim().isPresent()) {
            // The cloud may keep a reclaimed machine and only stop it. Its kubelet can confirm the end of no pod.
            if (isStopped(node, machine) && node.wasUsable()) {
                return failed(node, pool);
            }
            return held && isUnheard(node, node.reclaim().get())
                    ? lost(node, pool, "its machine waits to be terminated, and the node is not Ready")
                    : new AnnouncedReclaim(node.reclaim().get(), snapshot.now()).judge(node, machine);
        }
        if (SickMachine.isReplaced(node)) {
            return isStopped(node, machine) ? failed(node, pool) : sickMachine.judge(node, pool, machine);
        }
        if (node.marks().removal().isPresent()) {
            return new Draining(snapshot, reserved)
                    .judge(node, pool, machine, node.marks().removal().get());
        }
        if (node.cordon().own()) {
            // A user deleted the annotation, but not the taint.
            return Verdict.act(
                    node,
                    NodeState.GRACE_PERIOD,
                    "the node has taint %s, but no annotation with the reason".formatted(Names.REMOVING),
                    new Verdict.Uncordon());
        }
        if (node.cordon().others().isPresent()) {
            return cordoned(node, node.cordon().others().get());
        }
        if (!node.usable()) {
            return notUsable(node, pool, machine);
        }
        if (node.isSick()) {
            return sickMachine.later(node, pool);
        }
        return inUse(node, pool);
    }

    /**
     * Judges a node that a user or another tool has cordoned. If such a node is idle, it is left alone only for a limited time. A cluster
     * upgrade that stops halfway leaves cordoned nodes behind, and their machines cost money.
     */
    private Verdict cordoned(NodeView node, String claim) {
        var idle = node.idleSince();
        if (idle.isEmpty()) {
            return Verdict.keep(node, NodeState.CORDONED_BY_OPERATOR, claim + ", and not by Trainyard");
        }
        var since = node.marks().cordonedSince().orElse(snapshot.now());
        var until = (since.isBefore(idle.get()) ? idle.get() : since).plus(LEFT_CORDONED);
        return snapshot.now().isBefore(until)
                ? Verdict.keepUntil(
                        node,
                        NodeState.CORDONED_BY_OPERATOR,
                        "%s, and not by Trainyard. The node is idle: its machine is removed after %s, unless the node is marked %s: \"true\""
                                .formatted(claim, until, Names.DO_NOT_DISRUPT),
                        until)
                : Verdict.act(
                        node,
                        NodeState.CORDONED_BY_OPERATOR,
                        "%s, and it has been idle for %s".formatted(claim, Durations.format(LEFT_CORDONED)),
                        new Verdict.Cordon(new Removal(Removal.Reason.LEFT_CORDONED, snapshot.now())));
    }

    private Verdict ofNoPool(NodeView node) {
        var named = node.shape().labels().get(Names.POOL);
        if (named == null) {
            return Verdict.keep(node, NodeState.UNMANAGED, "the node belongs to no pool");
        }
        boolean unusable = snapshot.catalogue().problems().stream()
                .anyMatch(problem ->
                        problem.kind().equals("TrainingPool") && problem.name().equals(named));
        return Verdict.keep(
                node,
                NodeState.ORPHANED,
                unusable
                        ? "its TrainingPool %s is invalid: its machine is not removed until the pool is fixed"
                                .formatted(named)
                        : "there is no TrainingPool %s: its machine is not removed; create the pool again, or remove the machine by hand"
                                .formatted(named));
    }

    /**
     * Judges a node whose machine the cloud does not list. The list alone proves little: {@code spec.provider} may have been edited to name
     * another group, or the node may never have belonged to the pool. The machine counts as gone only if the scaler asked for its
     * termination, or if the node is not Ready.
     */
    private Verdict gone(NodeView node, PoolView pool) {
        var missing = "pool %s has no machine %s".formatted(pool.name(), node.providerId());
        if (node.terminating()) {
            return Verdict.act(node, NodeState.INSTANCE_TERMINATED, missing + " any more", new Verdict.Delete());
        }
        if (node.providerId() == null) {
            return Verdict.keep(
                    node, NodeState.REGISTERING, "the node has no spec.providerID, so its machine is unknown");
        }
        if (node.ready()) {
            return Verdict.keep(
                    node,
                    NodeState.UNMANAGED,
                    missing
                            + ", but the node is Ready: if the machine belongs to the pool, check spec.provider of the pool;"
                            + " else correct the node's label "
                            + Names.POOL);
        }
        // Only a node with the annotation that it was usable counts as reclaimed. A running pod does not prove this: a
        // node of another group that has just joined may run pods too, and may briefly not be Ready.
        boolean evicted = pool.pool().isSpot() && node.marks().usableSince().isPresent();
        var state = evicted ? NodeState.EVICTED : NodeState.INSTANCE_TERMINATED;
        var words = evicted ? "its spot machine was reclaimed: " + missing : missing;
        var sure = node.marks().missingSince().orElse(snapshot.now()).plus(evicted ? TAKEN_BACK : ABSENCE);
        if (snapshot.now().isBefore(sure)) {
            return Verdict.keepUntil(
                    node,
                    evicted ? state : NodeState.UNMANAGED,
                    words + ", and the node is not Ready; the scaler waits, since the cloud may list the machine again",
                    sure);
        }
        return Verdict.act(node, state, words + " any more, and the node is not Ready", new Verdict.Delete());
    }

    private static Verdict leaving(NodeView node, Optional<Machine> machine) {
        // The termination was requested before. The request is repeated, since it may have been lost in a restart.
        return machine.filter(
                        m -> m.counts() || (m.isHeld() && node.trainingPods().isEmpty()))
                .map(m -> Verdict.act(
                        node,
                        NodeState.TERMINATING,
                        "the cloud was asked to terminate its machine",
                        new Verdict.Terminate(m)))
                .orElseGet(() -> Verdict.keep(node, NodeState.TERMINATING, "its machine is being removed"));
    }

    private Verdict notUsable(NodeView node, PoolView pool, Optional<Machine> machine) {
        if (!node.registering()) {
            return dead(node, pool, machine);
        }
        var timeout = pool.pool().provisionTimeout();
        var deadline = node.launchDeadline(
                machine.map(pool::launchDeadline).orElse(node.created().plus(timeout)), timeout, snapshot.now());
        if (snapshot.now().isBefore(deadline)) {
            return Verdict.keepUntil(
                    node,
                    NodeState.REGISTERING,
                    "the node is not %s yet".formatted(node.lacking().orElse("usable")),
                    deadline);
        }
        return Verdict.act(
                node,
                NodeState.LAUNCH_TIMEOUT,
                "the node was not %s within %s"
                        .formatted(
                                node.lacking().orElse("usable"),
                                Durations.format(pool.pool().provisionTimeout())),
                new Verdict.Cordon(new Removal(Removal.Reason.LAUNCH_TIMEOUT, snapshot.now())));
    }

    /**
     * Judges a node that is not Ready and whose machine the cloud reports as failed. An example is a reclaimed spot machine that was
     * stopped, not deleted. The node is deleted, and the machine without a node is then terminated; see {@link Losses}.
     */
    private Verdict failed(NodeView node, PoolView pool) {
        return lost(node, pool, "the cloud reports its machine as failed, and the node is not Ready");
    }

    /** Whether pods that had to leave the node by now are still there, and no kubelet can confirm their end. */
    private boolean isUnheard(NodeView node, NodeNotice notice) {
        return !node.ready()
                && !node.trainingPods().isEmpty()
                && !snapshot.now().isBefore(notice.deadline());
    }

    private Verdict lost(NodeView node, PoolView pool, String words) {
        boolean evicted = pool.pool().isSpot();
        var state = evicted ? NodeState.EVICTED : NodeState.DEAD;
        var sure = node.notReadySince().orElse(snapshot.now()).plus(evicted ? TAKEN_BACK : ABSENCE);
        return snapshot.now().isBefore(sure)
                ? Verdict.keepUntil(node, state, words, sure)
                : Verdict.act(node, state, words, new Verdict.Delete());
    }

    private static boolean isStopped(NodeView node, Optional<Machine> machine) {
        return !node.ready()
                && machine.filter(m -> m.state() == Machine.State.FAILED).isPresent();
    }

    private Verdict dead(NodeView node, PoolView pool, Optional<Machine> machine) {
        if (isStopped(node, machine)) {
            return failed(node, pool);
        }
        var words = "the node was usable and is no longer %s"
                .formatted(node.lacking().orElse("usable"));
        var blocked = Draining.blocking(
                node.trainingPods().stream()
                        .filter(pod -> !pod.isLostUnheard(snapshot.now()))
                        .toList(),
                snapshot.now());
        if (blocked.isPresent()) {
            return Verdict.keep(node, NodeState.DEAD, words + "; " + blocked.get());
        }
        var from = deadFrom(node, pool);
        if (from.isEmpty() || machine.isEmpty()) {
            return Verdict.keep(node, NodeState.DEAD, words);
        }
        if (snapshot.now().isBefore(from.get())) {
            return Verdict.keepUntil(node, NodeState.DEAD, words, from.get());
        }
        return Verdict.act(
                node,
                NodeState.DEAD,
                words + " since " + node.notReadySince().get(),
                new Verdict.Cordon(new Removal(Removal.Reason.DEAD, snapshot.now())));
    }

    /**
     * Returns when a node that was usable and is not Ready counts as dead. Until then, the node may just be disconnected or restarting.
     * Empty if the node is Ready, or if the time at which it stopped being Ready is unknown.
     */
    static Optional<Instant> deadFrom(NodeView node, PoolView pool) {
        return node.notReadySince().map(since -> since.plus(pool.pool().provisionTimeout()));
    }

    private Verdict inUse(NodeView node, PoolView pool) {
        if (!node.trainingPods().isEmpty()) {
            // Consolidation decides whether the node's pods may move, and where.
            return Verdict.keep(
                    node,
                    Utilization.isLittle(node) ? NodeState.UNDER_UTILIZED_DRAINABLE : NodeState.BUSY,
                    Utilization.words(node) + damage(node) + overdue(node) + notice(node));
        }
        if (reserved.contains(node.name())) {
            return Verdict.keep(node, NodeState.POD_PENDING, "the node is reserved for pending pods");
        }
        var since = node.idleSince().orElse(snapshot.now());
        var until = since.plus(pool.pool().idleAfter());
        var idle = "idle for %s%s%s"
                .formatted(words(Duration.between(since, snapshot.now())), damage(node), overdue(node) + notice(node));
        return snapshot.now().isBefore(until)
                ? Verdict.keepUntil(node, NodeState.GRACE_PERIOD, idle, until)
                : Verdict.keep(node, NodeState.IDLE_SCHEDULABLE, idle);
    }

    private static String damage(NodeView node) {
        return node.damage().map("; "::concat).orElse("");
    }

    private static String notice(NodeView node) {
        return node.notice()
                .map(notice -> notice.kind() == NodeNotice.Kind.OUTLIVED ? "; " + notice.outlived() : "; " + notice)
                .orElse("");
    }

    private String overdue(NodeView node) {
        return node.pods().stream()
                .flatMap(pod -> pod.overdue(snapshot.now()).stream())
                .findFirst()
                .map(words -> "; " + words)
                .orElse("");
    }

    static String words(Duration duration) {
        return Durations.format(Duration.ofSeconds(duration.toSeconds()));
    }
}
