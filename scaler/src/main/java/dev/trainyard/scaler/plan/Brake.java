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
 * Looks for the sign that machines do not help the pods that they are requested for: one joined while the pods waited, it runs nothing, no
 * pod is planned onto it, and yet the plan requests another one of its pool. Whatever the reason is, the next machine is unlikely to do better.
 */
final class Brake {

    private final Outlook outlook;
    private final Planning planning;
    private final Set<String> reserved;
    private final int[] onNodes;

    /** @param reserved nodes that the plan keeps for pods */
    Brake(Outlook outlook, Planning planning, Set<String> reserved) {
        this.outlook = outlook;
        this.planning = planning;
        this.reserved = reserved;
        this.onNodes = onNodes(outlook, planning);
    }

    /** At most one for each pool and each demand. */
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

    /** Demands that the plan requests new machines of the pool for. */
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
                misfit.map(Misfit::reason).orElse("the plan does not use it, for a reason that it does not tell"));
    }

    private Optional<Misfit> neighbours(Demand demand, NodeView node) {
        return demand.isRelated()
                ? outlook.seating().flatMap(seats -> seats.check(demand, node.name()))
                : Optional.empty();
    }

    /**
     * A machine that falls short of what its pool promises. The plan knows that as long as the node is there; once the node is gone, it would
     * believe the promise again. So this also counts if the plan has turned to another pool: that one's machines may fall short as well, and
     * the two pools would take turns.
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

    /** Why the demand cannot be on such a node of the pool, as far as that node alone and the pool's promise decide. */
    private static Optional<String> shortfall(Demand demand, PoolView pool, NodeShape node) {
        var promised = pool.pool().newNode().labels();
        return Fit.check(demand.shape(), node, node.allocatable())
                .map(Misfit::reason)
                .or(() -> demand.topologyKeys().stream()
                        .filter(key ->
                                promised.containsKey(key) && !node.labels().containsKey(key))
                        .findFirst()
                        .map("it lacks label %s, which the pool promises"::formatted));
    }

    /** Whether all pods of the demand have a place on nodes that they can be bound to now. */
    private boolean isServed(Demand demand) {
        return onNodes[demand.index()] == demand.size();
    }

    /** By demand: pods that the plan puts on nodes that pods can be bound to. */
    private static int[] onNodes(Outlook outlook, Planning planning) {
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
