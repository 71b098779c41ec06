package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
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
 * Says of every node what it is and what is to be done about it. Pure: the same snapshot gives the same verdicts, and steps that were
 * done already are not asked for again.
 *
 * <p>A machine goes in four steps, each of which a restart finds again in the cluster: a taint, and a mark that says why; once pods have left
 * and the scheduler has had time to notice, a mark of no return and the order to the cloud; once the cloud's complete list shows it no
 * more, the Node object. The node of a machine that failed goes first. Until the third mark a pod that needs the room takes the node back.
 */
public final class Lifecycle {

    /** A node that is not Ready goes when its machine has been missing for so long: one listing may be wrong, and a kubelet restarts. */
    static final Duration ABSENCE = Duration.ofMinutes(1);

    /** The same for a spot machine that was in service: that it is taken back is what happens to those, and its pods are to run again soon. */
    static final Duration TAKEN_BACK = Duration.ofSeconds(10);

    /** An idle node that somebody else cordoned is removed after this time. */
    static final Duration LEFT_CORDONED = Duration.ofHours(24);

    private final Snapshot snapshot;
    private final Set<String> reserved;

    private Lifecycle(Snapshot snapshot, Set<String> reserved) {
        this.snapshot = snapshot;
        this.reserved = reserved;
    }

    /**
     * Judges every node of a snapshot.
     *
     * @param reserved nodes that the plan means for waiting pods
     * @return one verdict for every node, in the snapshot's order of nodes
     */
    public static List<Verdict> judge(Snapshot snapshot, Set<String> reserved) {
        var lifecycle = new Lifecycle(snapshot, reserved);
        var verdicts = snapshot.nodes().stream().map(lifecycle::judge).toList();
        var allowance = Allowance.of(snapshot, verdicts);
        var chosen = new Selection(snapshot, allowance).choose(verdicts);
        return new Consolidation(snapshot, reserved, allowance).choose(chosen);
    }

    private Verdict judge(NodeView node) {
        var pool = node.pool().map(p -> snapshot.pools().get(p.name())).orElse(null);
        if (pool == null) {
            return ofNoPool(node);
        }
        if (node.exempt().isPresent()) {
            return Verdict.keep(node, NodeState.DETACHED, node.exempt().get());
        }
        var machine = machine(node, pool);
        if (pool.state().isPresent() && machine.isEmpty()) {
            return gone(node, pool);
        }
        if (node.terminating() || machine.filter(m -> !m.counts()).isPresent()) {
            return leaving(node, machine);
        }
        if (node.marks().removal().isPresent()) {
            return new Draining(snapshot, reserved)
                    .judge(node, pool, machine, node.marks().removal().get());
        }
        if (node.cordon().own()) {
            // Somebody deleted the mark alone.
            return Verdict.act(
                    node,
                    NodeState.GRACE_PERIOD,
                    "it has taint %s, and no annotation says why".formatted(Names.REMOVING),
                    new Verdict.Uncordon());
        }
        if (node.cordon().others().isPresent()) {
            return cordoned(node, node.cordon().others().get());
        }
        if (!node.usable()) {
            return notUsable(node, pool, machine);
        }
        return inUse(node, pool);
    }

    /**
     * A node that somebody else took out of service is left to them. It does not stay for ever: an upgrade of a cluster that stops half
     * way leaves cordoned nodes, and their machines are paid for.
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
                        "%s, and not by Trainyard. It is idle: it is removed after %s, unless it is marked %s: \"true\""
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
            return Verdict.keep(node, NodeState.UNMANAGED, "it is of no pool");
        }
        boolean unusable = snapshot.catalogue().problems().stream()
                .anyMatch(problem ->
                        problem.kind().equals("TrainingPool") && problem.name().equals(named));
        return Verdict.keep(
                node,
                NodeState.ORPHANED,
                unusable
                        ? "its TrainingPool %s cannot be used: nobody removes its machine until that is mended"
                                .formatted(named)
                        : "there is no TrainingPool %s: nobody removes its machine; create the pool again, or remove the machine by hand"
                                .formatted(named));
    }

    /**
     * That a machine is not listed proves little: the list may be another group's since {@code spec.provider} was edited, or the node may
     * never have been ours. Only what we ordered to go, and what does not answer either, is gone.
     */
    private Verdict gone(NodeView node, PoolView pool) {
        var missing = "pool %s has no machine %s".formatted(pool.name(), node.providerId());
        if (node.terminating()) {
            return Verdict.act(node, NodeState.INSTANCE_TERMINATED, missing + " any more", new Verdict.Delete());
        }
        if (node.providerId() == null) {
            return Verdict.keep(
                    node,
                    NodeState.REGISTERING,
                    "it has no spec.providerID, so that nobody knows which machine it is on");
        }
        if (node.ready()) {
            return Verdict.keep(
                    node,
                    NodeState.UNMANAGED,
                    missing
                            + ", and it is Ready: if it is the pool's, see spec.provider of the pool; else set its label "
                            + Names.POOL);
        }
        // A foreign node that has just joined runs pods as well, and may look not Ready for a moment longer.
        boolean evicted = pool.pool().isSpot() && node.marks().usableSince().isPresent();
        var state = evicted ? NodeState.EVICTED : NodeState.INSTANCE_TERMINATED;
        var words = evicted ? "its spot machine was taken back: " + missing : missing;
        var sure = node.marks().missingSince().orElse(snapshot.now()).plus(evicted ? TAKEN_BACK : ABSENCE);
        if (snapshot.now().isBefore(sure)) {
            return Verdict.keepUntil(
                    node,
                    evicted ? state : NodeState.UNMANAGED,
                    words + ", and it is not Ready; it may be a moment's trouble",
                    sure);
        }
        return Verdict.act(node, state, words + " any more, and it is not Ready", new Verdict.Delete());
    }

    private static Verdict leaving(NodeView node, Optional<Machine> machine) {
        // Ordered before, but the order may have been lost with the process that gave it.
        return machine.filter(Machine::counts)
                .map(m -> Verdict.act(
                        node, NodeState.TERMINATING, "its machine was ordered to go", new Verdict.Terminate(m)))
                .orElseGet(() -> Verdict.keep(node, NodeState.TERMINATING, "its machine is on its way out"));
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
                    "it is not %s yet".formatted(node.lacking().orElse("usable")),
                    deadline);
        }
        return Verdict.act(
                node,
                NodeState.LAUNCH_TIMEOUT,
                "it was not %s within %s"
                        .formatted(
                                node.lacking().orElse("usable"),
                                Durations.format(pool.pool().provisionTimeout())),
                new Verdict.Cordon(new Removal(Removal.Reason.LAUNCH_TIMEOUT, snapshot.now())));
    }

    /**
     * A machine that its cloud calls failed and whose kubelet is silent is as good as gone, such as a spot machine that was taken back and
     * stopped, not deleted. Without its node it is given up.
     */
    private Verdict failed(NodeView node, PoolView pool) {
        boolean evicted = pool.pool().isSpot();
        var state = evicted ? NodeState.EVICTED : NodeState.DEAD;
        var words = "the cloud reports its machine as failed, and it is not Ready";
        var sure = node.notReadySince().orElse(snapshot.now()).plus(evicted ? TAKEN_BACK : ABSENCE);
        return snapshot.now().isBefore(sure)
                ? Verdict.keepUntil(node, state, words, sure)
                : Verdict.act(node, state, words, new Verdict.Delete());
    }

    private Verdict dead(NodeView node, PoolView pool, Optional<Machine> machine) {
        if (!node.ready()
                && machine.filter(m -> m.state() == Machine.State.FAILED).isPresent()) {
            return failed(node, pool);
        }
        var words = "it was usable and is not %s".formatted(node.lacking().orElse("usable"));
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

    /** From when on a machine that was usable and is not Ready is as good as gone: it may be cut off, or start again, until then. */
    static Optional<Instant> deadFrom(NodeView node, PoolView pool) {
        return node.notReadySince().map(since -> since.plus(pool.pool().provisionTimeout()));
    }

    private Verdict inUse(NodeView node, PoolView pool) {
        if (!node.trainingPods().isEmpty()) {
            // Whether what is on it may move, and where to, is the consolidation's question.
            return Verdict.keep(
                    node,
                    Use.isLittle(node) ? NodeState.UNDER_UTILIZED_DRAINABLE : NodeState.BUSY,
                    Use.words(node) + damage(node) + overdue(node));
        }
        if (reserved.contains(node.name())) {
            return Verdict.keep(node, NodeState.POD_PENDING, "its room is meant for pods that wait");
        }
        var since = node.idleSince().orElse(snapshot.now());
        var until = since.plus(pool.pool().idleAfter());
        var idle = "idle for %s%s%s"
                .formatted(words(Duration.between(since, snapshot.now())), damage(node), overdue(node));
        return snapshot.now().isBefore(until)
                ? Verdict.keepUntil(node, NodeState.GRACE_PERIOD, idle, until)
                : Verdict.keep(node, NodeState.IDLE_SCHEDULABLE, idle);
    }

    private static String damage(NodeView node) {
        return node.damage().map("; "::concat).orElse("");
    }

    private String overdue(NodeView node) {
        return node.pods().stream()
                .flatMap(pod -> pod.overdue(snapshot.now()).stream())
                .findFirst()
                .map(words -> "; " + words)
                .orElse("");
    }

    private static Optional<Machine> machine(NodeView node, PoolView pool) {
        return pool.state().stream()
                .flatMap(state -> state.machines().stream())
                .filter(node::isOn)
                .findFirst();
    }

    static String words(Duration duration) {
        return Durations.format(Duration.ofSeconds(duration.toSeconds()));
    }
}
