package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.fit.Misfit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.plan.Bin.Origin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A check for machines that do not help the pods that they were requested for. Such a machine joined while the pods were pending. It runs
 * nothing, and the plan puts no pod onto it. If the plan requests another machine of the same pool, that machine is unlikely to help
 * either.
 */
final class MismatchDetector {

    private final PlanningInput outlook;
    private final PlanningPass planning;
    private final Set<String> reserved;
    private final int[] onNodes;

    /** @param reserved names of nodes that the plan reserves for pods */
    MismatchDetector(PlanningInput outlook, PlanningPass planning, Set<String> reserved) {
        this.outlook = outlook;
        this.planning = planning;
        this.reserved = reserved;
        this.onNodes = onNodes(outlook, planning);
    }

    /** Returns at most one mismatch for each pair of a pool and a {@link Demand}, a group of equal pending pods. */
    List<Mismatch> mismatches() {
        var found = new ArrayList<Mismatch>();
        for (int pool = 0; pool < outlook.pools().size(); pool++) {
            var idle = youngestIdleNode(pool);
            if (idle.isPresent()) {
                var requested = requestedFor(pool);
                for (var demand : outlook.demands()) {
                    mismatch(demand, pool, idle.get(), requested.contains(demand.index()))
                            .ifPresent(found::add);
                }
            }
        }
        return found;
    }

    private Optional<Mismatch> mismatch(Demand demand, int pool, NodeView idle, boolean isRequested) {
        boolean joinedMeanwhile = idle.usableSince(outlook.snapshot().now()).isAfter(demand.oldest());
        if (!joinedMeanwhile || outlook.exclusion(demand, pool).isPresent()) {
            return Optional.empty();
        }
        return isRequested ? Optional.of(unused(demand, pool, idle)) : brokenPromise(demand, pool, idle);
    }

    private Optional<NodeView> youngestIdleNode(int pool) {
        var now = outlook.snapshot().now();
        return outlook.nodesOf(pool).stream()
                .filter(node -> node.isFree() && !reserved.contains(node.name()))
                .max(Comparator.<NodeView, Instant>comparing(node -> node.usableSince(now))
                        .thenComparing(NodeView::name));
    }

    /** Returns the demands for which the plan requests new machines of the pool. */
    private Set<Integer> requestedFor(int pool) {
        var demands = new HashSet<Integer>();
        planning.supply().opened(pool).forEach(bin -> {
            for (var load = bin.load; bin.origin == Origin.NEW && load != null; load = load.before()) {
                demands.add(load.demand().index());
            }
        });
        return demands;
    }

    private Mismatch unused(Demand demand, int pool, NodeView node) {
        var misfit = Fit.check(
                        demand.shape(),
                        node.uncordoned(),
                        node.shape().allocatable().minus(node.used()))
                .or(() -> neighbours(demand, node));
        return mismatch(
                demand,
                pool,
                node,
                misfit.map(found -> !found.curable()).orElse(false),
                misfit.map(Misfit::reason).orElse("the plan does not use the machine, for an unknown reason"));
    }

    private Optional<Misfit> neighbours(Demand demand, NodeView node) {
        return demand.isRelated()
                ? outlook.seating().flatMap(seats -> seats.check(demand, node.name()))
                : Optional.empty();
    }

    /**
     * Returns a mismatch if the node has less than its pool promises, even if the plan uses another pool now. Otherwise the planner would
     * trust the promise again once the node is removed. If the machines of two pools lacked what the pools promise, plans would alternate
     * between the two pools.
     */
    private Optional<Mismatch> brokenPromise(Demand demand, int number, NodeView node) {
        var pool = outlook.pool(number);
        boolean hasPlace = planning.isPlaced(demand)
                && (isServed(demand) || shortfall(demand, pool, pool.template()).isEmpty());
        if (hasPlace || !outlook.isPromised(demand, number)) {
            return Optional.empty();
        }
        return shortfall(demand, pool, node.uncordoned()).map(reason -> mismatch(demand, number, node, true, reason));
    }

    /**
     * Returns why pods of the demand cannot run on an empty node like this one; empty if they can. A missing label for topology spread or
     * affinity is a reason only if the pool promises the label.
     */
    private static Optional<String> shortfall(Demand demand, PoolView pool, NodeShape node) {
        var promised = pool.pool().newNode().labels();
        return Fit.check(demand.shape(), node, node.allocatable())
                .map(Misfit::reason)
                .or(() -> demand.topologyKeys().stream()
                        .filter(key ->
                                promised.containsKey(key) && !node.labels().containsKey(key))
                        .findFirst()
                        .map("the node lacks label %s, although the pool promises this label"::formatted));
    }

    /** Whether the plan places all pods of the demand on existing nodes. */
    private boolean isServed(Demand demand) {
        return onNodes[demand.index()] == demand.size();
    }

    /** Counts, by demand, the pods that the plan places on existing nodes. */
    private static int[] onNodes(PlanningInput outlook, PlanningPass planning) {
        var pods = new int[outlook.demands().size()];
        for (int group = 0; group < outlook.groups().size(); group++) {
            planning.supply().nodes(group).forEach(bin -> {
                for (var load = bin.load; load != null; load = load.before()) {
                    pods[load.demand().index()] += load.pods();
                }
            });
        }
        return pods;
    }

    private Mismatch mismatch(Demand demand, int pool, NodeView node, boolean lasting, String reason) {
        return Mismatch.of(
                outlook.pool(pool).name(),
                outlook.template(demand, pool),
                node,
                outlook.snapshot().now(),
                lasting,
                reason);
    }
}
