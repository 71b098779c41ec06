package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Says of every node what it is and what is to be done about it. Pure: the same snapshot gives the same verdicts, and steps that were
 * done already are not asked for again.
 *
 * <p>A machine goes in four steps, each of which a restart finds again in the cluster: cordon with a mark of ownership; once pods have left
 * and the scheduler has had time to notice, a mark of no return and the order to the cloud; once the cloud's complete list shows it no
 * more, the Node object. Until the third mark a pod that needs the room takes the node back.
 */
public final class Lifecycle {

    /** From the cordon to the order: bindings that the scheduler had under way show by then. */
    static final Duration SETTLING = Duration.ofSeconds(2);

    /** A node that is not Ready goes when its machine has been missing for so long: one listing may be wrong, and a kubelet restarts. */
    static final Duration ABSENCE = Duration.ofMinutes(1);

    private final Snapshot snapshot;
    private final Set<String> reserved;

    private Lifecycle(Snapshot snapshot, Set<String> reserved) {
        this.snapshot = snapshot;
        this.reserved = reserved;
    }

    /**
     * @param reserved nodes that the plan means for waiting pods
     * @return one verdict for every node, in the snapshot's order of nodes
     */
    public static List<Verdict> judge(Snapshot snapshot, Set<String> reserved) {
        var lifecycle = new Lifecycle(snapshot, reserved);
        var verdicts = snapshot.nodes().stream().map(lifecycle::judge).toList();
        return new Selection(snapshot).choose(verdicts);
    }

    /**
     * Machines that have no node and are given up: those that failed, and those whose node did not join in time. None of a pool that has a
     * {@link #strangers stranger}: what seems to be without a node may be the machine that a training runs on.
     */
    public static List<LostMachine> lost(Snapshot snapshot) {
        return overdue(snapshot).stream()
                .filter(machine -> strangers(snapshot, machine.pool()).isEmpty())
                .toList();
    }

    /** Nodes for whose sake machines that would be given up are kept, and why. */
    public static Map<String, String> mismatches(Snapshot snapshot) {
        var mismatches = new TreeMap<String, String>();
        for (var machine : overdue(snapshot)) {
            for (var stranger : strangers(snapshot, machine.pool())) {
                mismatches.putIfAbsent(
                        stranger.name(),
                        "its spec.providerID %s is that of no machine of pool %s, while machine %s (%s) seems to have no node: no machine of the pool is given up before they match"
                                .formatted(
                                        stranger.providerId(),
                                        machine.pool().name(),
                                        machine.machine().id(),
                                        machine.machine().providerId()));
            }
        }
        return mismatches;
    }

    /** Nodes of a pool that are in use, or could be, and match none of its machines. */
    private static List<NodeView> strangers(Snapshot snapshot, Pool pool) {
        var machines = Optional.ofNullable(snapshot.pools().get(pool.name())).flatMap(PoolView::state).stream()
                .flatMap(state -> state.machines().stream())
                .toList();
        return snapshot.nodesOf(pool.name()).stream()
                .filter(node -> !node.terminating())
                .filter(node -> node.usable() || !node.trainingPods().isEmpty())
                .filter(node -> machines.stream().noneMatch(node::isOn))
                .toList();
    }

    private static List<LostMachine> overdue(Snapshot snapshot) {
        var lost = new ArrayList<LostMachine>();
        for (var pool : snapshot.pools().values()) {
            for (var machine : pool.withoutNode()) {
                var reason = switch (machine.state()) {
                    case DELETING -> Optional.<String>empty();
                    case FAILED -> Optional.of("the cloud reports it as failed");
                    case CREATING, RUNNING ->
                        Optional.of("its node did not join within %s"
                                        .formatted(Durations.format(pool.pool().provisionTimeout())))
                                .filter(late -> !snapshot.now().isBefore(pool.launchDeadline(machine)));
                };
                reason.ifPresent(why -> lost.add(new LostMachine(pool.pool(), machine, why)));
            }
        }
        return lost;
    }

    private Verdict judge(NodeView node) {
        var pool = node.pool().map(p -> snapshot.pools().get(p.name())).orElse(null);
        if (pool == null) {
            return Verdict.keep(node, NodeState.UNMANAGED, "it is of no pool");
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
            return removing(node, pool, machine, node.marks().removal().get());
        }
        if (!node.shape().schedulable()) {
            return Verdict.keep(
                    node,
                    NodeState.CORDONED_BY_OPERATOR,
                    "it is cordoned, and not by us: uncordon it to have it managed");
        }
        if (!node.usable()) {
            return notUsable(node, pool, machine);
        }
        return inUse(node, pool);
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
        var sure = node.marks().missingSince().orElse(snapshot.now()).plus(ABSENCE);
        if (snapshot.now().isBefore(sure)) {
            return Verdict.keepUntil(
                    node, NodeState.UNMANAGED, missing + ", and it is not Ready; it may be a moment's trouble", sure);
        }
        return Verdict.act(
                node, NodeState.INSTANCE_TERMINATED, missing + " any more, and it is not Ready", new Verdict.Delete());
    }

    private static Verdict leaving(NodeView node, Optional<Machine> machine) {
        // Ordered before, but the order may have been lost with the process that gave it.
        return machine.filter(Machine::counts)
                .map(m -> Verdict.act(
                        node, NodeState.TERMINATING, "its machine was ordered to go", new Verdict.Terminate(m)))
                .orElseGet(() -> Verdict.keep(node, NodeState.TERMINATING, "its machine is on its way out"));
    }

    private Verdict removing(NodeView node, PoolView pool, Optional<Machine> machine, Removal removal) {
        var leaving =
                node.trainingPods().stream().filter(PodOnNode::terminating).toList();
        var staying =
                node.trainingPods().stream().filter(pod -> !pod.terminating()).toList();
        if (node.shape().schedulable()) {
            return Verdict.act(
                    node,
                    NodeState.GRACE_PERIOD,
                    "somebody uncordoned it: its time begins again",
                    new Verdict.Uncordon());
        }
        if (reserved.contains(node.name())) {
            return Verdict.act(
                    node, NodeState.POD_PENDING, "its room is needed again for pods that wait", new Verdict.Uncordon());
        }
        if (removal.reason() == Removal.Reason.LAUNCH_TIMEOUT && node.usable()) {
            return Verdict.act(node, NodeState.GRACE_PERIOD, "it became usable after all", new Verdict.Uncordon());
        }
        if (removal.reason() == Removal.Reason.DEAD && node.ready()) {
            return Verdict.act(node, NodeState.GRACE_PERIOD, "it is Ready again", new Verdict.Uncordon());
        }
        if (removal.reason() == Removal.Reason.IDLE && !staying.isEmpty()) {
            return Verdict.act(
                    node,
                    NodeState.BUSY_UNSCHEDULABLE,
                    "pod %s was placed on it meanwhile".formatted(staying.get(0)),
                    new Verdict.Uncordon());
        }
        var blocked = staying.stream().filter(pod -> pod.blocker().isPresent()).findFirst();
        if (blocked.isPresent()) {
            return Verdict.keep(node, NodeState.DRAINING, blocking(blocked.get()));
        }
        if (!staying.isEmpty()) {
            return Verdict.act(
                    node,
                    NodeState.DRAINING,
                    "%d pods have to leave".formatted(staying.size()),
                    new Verdict.Evict(staying));
        }
        // The kubelet of a dead node confirms no pod's end.
        boolean unconfirmed = removal.reason() == Removal.Reason.DEAD
                && leaving.stream().noneMatch(pod -> pod.blocker().isPresent());
        if (!leaving.isEmpty() && !unconfirmed) {
            return Verdict.keep(node, NodeState.DRAINING, "pod %s is leaving".formatted(leaving.get(0)));
        }
        var settled = removal.since().plus(SETTLING);
        if (snapshot.now().isBefore(settled)) {
            return Verdict.keepUntil(node, NodeState.IDLE_UNSCHEDULABLE, "it was cordoned just now", settled);
        }
        return machine.map(m -> Verdict.act(
                        node, NodeState.IDLE_UNSCHEDULABLE, removal.reason().toString(), new Verdict.Terminate(m)))
                .orElseGet(() -> Verdict.keep(
                        node, NodeState.IDLE_UNSCHEDULABLE, "pool %s cannot be read".formatted(pool.name())));
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

    private Verdict dead(NodeView node, PoolView pool, Optional<Machine> machine) {
        var words = "it was usable and is not %s".formatted(node.lacking().orElse("usable"));
        var blocked = node.trainingPods().stream()
                .filter(pod -> pod.blocker().isPresent())
                .findFirst();
        if (blocked.isPresent()) {
            return Verdict.keep(node, NodeState.DEAD, words + "; " + blocking(blocked.get()));
        }
        if (node.notReadySince().isEmpty() || machine.isEmpty()) {
            return Verdict.keep(node, NodeState.DEAD, words);
        }
        var until = node.notReadySince().get().plus(pool.pool().provisionTimeout());
        if (snapshot.now().isBefore(until)) {
            return Verdict.keepUntil(node, NodeState.DEAD, words, until);
        }
        return Verdict.act(
                node,
                NodeState.DEAD,
                words + " since " + node.notReadySince().get(),
                new Verdict.Cordon(new Removal(Removal.Reason.DEAD, snapshot.now())));
    }

    private Verdict inUse(NodeView node, PoolView pool) {
        var pods = node.trainingPods();
        if (!pods.isEmpty()) {
            double utilization = utilization(node);
            var used = "%d pods use %d %% of it".formatted(pods.size(), Math.round(utilization * 100));
            if (utilization >= pool.pool().utilizationBelow()) {
                return Verdict.keep(node, NodeState.BUSY, used);
            }
            return pods.stream()
                    .filter(pod -> pod.blocker().isPresent())
                    .findFirst()
                    .map(pod -> Verdict.keep(node, NodeState.UNDER_UTILIZED_UNDRAINABLE, used + "; " + blocking(pod)))
                    .orElseGet(() -> Verdict.keep(node, NodeState.UNDER_UTILIZED_DRAINABLE, used));
        }
        if (reserved.contains(node.name())) {
            return Verdict.keep(node, NodeState.POD_PENDING, "its room is meant for pods that wait");
        }
        var since = node.marks().idleSince().orElse(snapshot.now());
        var until = since.plus(pool.pool().idleAfter());
        var idle = "idle for %s".formatted(words(Duration.between(since, snapshot.now())));
        return snapshot.now().isBefore(until)
                ? Verdict.keepUntil(node, NodeState.GRACE_PERIOD, idle, until)
                : Verdict.keep(node, NodeState.IDLE_SCHEDULABLE, idle);
    }

    private static String blocking(PodOnNode pod) {
        return "pod %s must not be interrupted: %s".formatted(pod, pod.blocker().orElse(""));
    }

    private static Optional<Machine> machine(NodeView node, PoolView pool) {
        return pool.state().stream()
                .flatMap(state -> state.machines().stream())
                .filter(node::isOn)
                .findFirst();
    }

    /** The share of the resource that is used most, of those that are dear. */
    private static double utilization(NodeView node) {
        var used = node.used();
        return Stream.of(ResourceNames.CPU, ResourceNames.MEMORY, ResourceNames.GPU)
                .filter(name -> node.shape().allocatable().get(name) > 0)
                .mapToDouble(name ->
                        (double) used.get(name) / node.shape().allocatable().get(name))
                .max()
                .orElse(0);
    }

    private static String words(Duration duration) {
        return Durations.format(Duration.ofSeconds(duration.toSeconds()));
    }
}
