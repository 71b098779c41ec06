package dev.trainyard.scaler.observe;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.scaler.ledger.PoolLedger;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All that a round decides on, as of one instant. Immutable.
 *
 * @param daemons what a new machine will run besides the pods that it is bought for, where they fit it
 * @param budgets by how much pods on nodes may be disturbed
 * @param neighbours what pods are to each other
 * @param serving by gang ({@link GangMark#gang}): how many of its members need no node any more, since they have one or have succeeded
 */
public record Snapshot(
        Instant now,
        Catalogue catalogue,
        List<WaitingPod> waiting,
        List<NodeView> nodes,
        SortedMap<String, PoolView> pools,
        List<Daemon> daemons,
        List<DisruptionBudget> budgets,
        Map<String, Integer> serving,
        Neighbours neighbours,
        List<Unreadable> unreadable) {

    public Snapshot {
        waiting = List.copyOf(waiting);
        nodes = List.copyOf(nodes);
        pools = Collections.unmodifiableSortedMap(new TreeMap<>(pools));
        daemons = List.copyOf(daemons);
        budgets = List.copyOf(budgets);
        serving = Map.copyOf(serving);
        unreadable = List.copyOf(unreadable);
    }

    /** Nodes on machines of a pool, as far as its cloud could be read. */
    public List<NodeView> nodesOf(String pool) {
        return nodes.stream()
                .filter(node -> isOf(node, pool) && !node.foreign())
                .toList();
    }

    /** Nodes that are of a pool by their labels, and on none of its machines. */
    public List<NodeView> foreignNodesOf(String pool) {
        return nodes.stream().filter(node -> isOf(node, pool) && node.foreign()).toList();
    }

    private static boolean isOf(NodeView node, String pool) {
        return node.pool().filter(p -> p.name().equals(pool)).isPresent();
    }

    /** Nodes of a pool whose machines are to stay. */
    public List<NodeView> stayingOf(String pool) {
        return nodesOf(pool).stream()
                .filter(node -> node.marks().removal().isEmpty() && !node.terminating())
                .toList();
    }

    /** Machines of a pool that were asked for and are not usable yet. */
    public int upcoming(PoolView pool) {
        return pool.upcoming(now)
                + (int) stayingOf(pool.name()).stream()
                        .filter(NodeView::registering)
                        .count();
    }

    /** What is to be remembered of a pool, with what was ordered of it meanwhile. */
    public PoolLedger ledgerOf(PoolView pool) {
        return pool.state().isPresent() ? pool.ledger().expecting(upcoming(pool) + pool.remembered()) : pool.ledger();
    }

    /** The same with one pool changed. */
    public Snapshot with(PoolView pool) {
        var changed = new TreeMap<>(pools);
        changed.put(pool.name(), pool);
        return new Snapshot(now, catalogue, waiting, nodes, changed, daemons, budgets, serving, neighbours, unreadable);
    }
}
