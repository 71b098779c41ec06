package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.ledger.PoolLedger;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The facts at one instant on which a round (one pass of the scaler's loop) decides. Immutable.
 *
 * @param waiting the pending pods
 * @param leaving the pods that will be pending soon, because the cloud has announced the reclaim of their machines, or because
 *     they return to spot machines; see {@link LeavingPods}
 * @param staying the pods that cannot leave broken machines now
 * @param gangNotices by pod UID, the most urgent notice on the machine of a member of the pod's gang, if all members leave together;
 *     see {@link GangNotices}
 * @param returning the pods that may return to spot machines; empty unless the round has chosen them
 * @param daemons pods of DaemonSets. A new machine will also run the pods of all DaemonSets that fit it
 * @param budgets limits for evictions of pods on nodes
 * @param neighbours relations between pods, and their host ports
 * @param gangs by gang ({@link GangView#key}), the members of the gangs that have pending pods
 * @param deadlines the deadlines that pods state; {@link Deadlines#NONE} unless {@link ProgressMemory} has read them
 */
public record Snapshot(
        Instant now,
        Catalogue catalogue,
        List<PendingPod> waiting,
        List<PendingPod> leaving,
        StayingPods staying,
        Map<String, NodeNotice> gangNotices,
        List<SpotReturn> returning,
        List<NodeView> nodes,
        SortedMap<String, PoolView> pools,
        List<Daemon> daemons,
        List<DisruptionBudget> budgets,
        Map<String, GangMembers> gangs,
        PodRelationsIndex neighbours,
        Deadlines deadlines,
        List<Unreadable> unreadable) {

    /** How soon a leaving pod must end so that its resources count as free. A new machine needs about as long. */
    private static final Duration FREED_WITHIN = Duration.ofMinutes(10);

    public Snapshot {
        waiting = List.copyOf(waiting);
        leaving = List.copyOf(leaving);
        gangNotices = Map.copyOf(gangNotices);
        returning = List.copyOf(returning);
        nodes = List.copyOf(nodes);
        pools = Collections.unmodifiableSortedMap(new TreeMap<>(pools));
        daemons = List.copyOf(daemons);
        budgets = List.copyOf(budgets);
        gangs = Map.copyOf(gangs);
        unreadable = List.copyOf(unreadable);
    }

    /**
     * Returns the nodes on machines of a pool. If the pool was not read from its cloud, the machines are unknown, and the nodes' labels
     * decide.
     */
    public List<NodeView> nodesOf(String pool) {
        return nodes.stream()
                .filter(node -> isOf(node, pool) && !node.foreign())
                .toList();
    }

    /** Returns the nodes that are assigned to a pool by their labels, but are on none of the pool's machines. */
    public List<NodeView> foreignNodesOf(String pool) {
        return nodes.stream().filter(node -> isOf(node, pool) && node.foreign()).toList();
    }

    private static boolean isOf(NodeView node, String pool) {
        return node.pool().filter(p -> p.name().equals(pool)).isPresent();
    }

    /** Returns the pods to plan for: the pending pods, and the pods that will be pending soon. */
    public List<PendingPod> demand() {
        return leaving.isEmpty()
                ? waiting
                : Stream.concat(waiting.stream(), leaving.stream()).toList();
    }

    /** Returns the notice that makes the pod leave with its gang; empty if the pod stays. */
    public Optional<NodeNotice> gangLeaveNotice(PodOnNode pod) {
        return Optional.ofNullable(gangNotices.get(pod.uid())).filter(NodeNotice::emptiesMachine);
    }

    /**
     * Whether the pod's resources count as free, because the pod leaves with its gang while its machine stays. An annotation says so even
     * after the machine under notice has gone. A pod that does not end, or that may take long, keeps its resources: its author chooses the
     * grace period, and may write the annotation. Pods that wait for the room would get no machine until then.
     */
    public boolean isFreed(PodOnNode pod) {
        boolean leaves = gangLeaveNotice(pod).isPresent()
                || (pod.terminating() && pod.notices().containsKey(Names.ENDS_AT))
                || (pod.evicted() && pod.notices().containsKey(Names.CHECKPOINT_SINCE));
        return leaves && !pod.isOverdue(now) && endsSoon(pod);
    }

    /** Returns the names of the nodes that take pods now. If pods are leaving a node with their gang, it may still be full. */
    public Set<String> takers() {
        return nodes.stream()
                .filter(node -> node.takesPods() && node.pods().stream().noneMatch(this::isFreed))
                .map(NodeView::name)
                .collect(Collectors.toSet());
    }

    /** Whether the rest of the pod's grace period is at most {@link #FREED_WITHIN}, or what its tier gives to save a checkpoint. */
    private boolean endsSoon(PodOnNode pod) {
        var most = pod.shape()
                .map(PodShape::tier)
                .map(name -> catalogue.tiers().get(name))
                .map(tier -> tier.checkpoint().grace())
                .filter(grace -> grace.compareTo(FREED_WITHIN) > 0)
                .orElse(FREED_WITHIN);
        var rest = pod.endsBy().map(end -> Duration.between(now, end)).orElse(pod.grace());
        return rest.compareTo(most) <= 0;
    }

    /** Returns the nodes of a pool whose machines stay. */
    public List<NodeView> stayingOf(String pool) {
        return nodesOf(pool).stream().filter(NodeView::stays).toList();
    }

    /**
     * Returns how many requested machines of a pool are not usable yet. A broken machine with a node counts too, although it is no supply
     * for pods. The reason: if the cloud cannot be read, {@link PoolReview} subtracts all joined machines from this number.
     */
    public int upcoming(PoolView pool) {
        return pool.upcoming(now)
                + (int) stayingOf(pool.name()).stream()
                        .filter(NodeView::registering)
                        .count();
    }

    /** Returns the pool's ledger, including the machines requested in this round. */
    public PoolLedger ledgerOf(PoolView pool) {
        return pool.state().isPresent() ? pool.ledger().expecting(upcoming(pool) + pool.remembered()) : pool.ledger();
    }

    /** Returns the snapshot with one pool changed. */
    public Snapshot with(PoolView pool) {
        var changed = new TreeMap<>(pools);
        changed.put(pool.name(), pool);
        return with(returning, changed, deadlines);
    }

    /**
     * Returns the snapshot with the clouds' ratings of pools.
     *
     * @param scores returns the rating of a pool; only called for equally preferred pools, since ratings decide only between these
     */
    public Snapshot withSpotScores(Function<Pool, Optional<Integer>> scores) {
        var rated = pools.values().stream()
                .filter(view -> catalogue.tiers().values().stream().anyMatch(tier -> tier.hasEqualOf(view.name())))
                .toList();
        if (rated.isEmpty()) {
            return this;
        }
        var changed = new TreeMap<>(pools);
        rated.forEach(view -> changed.put(view.name(), view.withSpotScore(scores.apply(view.pool()))));
        return with(returning, changed, deadlines);
    }

    /** Returns the snapshot with these returns to spot machines. */
    public Snapshot withReturning(List<SpotReturn> chosen) {
        return with(chosen, pools, deadlines);
    }

    /** Returns the snapshot with these deadlines. */
    Snapshot withDeadlines(Deadlines stated) {
        return with(returning, pools, stated);
    }

    private Snapshot with(List<SpotReturn> chosen, SortedMap<String, PoolView> changed, Deadlines stated) {
        return new Snapshot(
                now,
                catalogue,
                waiting,
                leaving,
                staying,
                gangNotices,
                chosen,
                nodes,
                changed,
                daemons,
                budgets,
                gangs,
                neighbours,
                stated,
                unreadable);
    }

    /** Returns the return of a node's pods to spot machines; empty if the pods stay. */
    public Optional<SpotReturn> returningFrom(NodeView node) {
        return returning.stream()
                .filter(move -> move.node().equals(node.name()))
                .findFirst();
    }
}
