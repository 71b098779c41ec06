package dev.trainyard.scaler.plan;

import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.plan.Bin.Origin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The supply before any new request: free room on nodes and on provisioning machines. Immutable. */
final class InitialSupply {

    private final PlanningInput outlook;
    private final List<List<Bin>> nodes = new ArrayList<>();
    private final List<List<Bin>> upcoming = new ArrayList<>();

    InitialSupply(PlanningInput outlook) {
        this.outlook = outlook;
        for (var group : outlook.groups()) {
            var whole = outlook.axes().pack(group.likeness().allocatable());
            nodes.add(group.nodes().stream()
                    .map(node -> Bin.node(Origin.NODE, node.name(), free(node)))
                    .sorted(fullestFirst(whole))
                    .toList());
        }
        for (int pool = 0; pool < outlook.pools().size(); pool++) {
            upcoming.add(upcomingOf(pool));
        }
    }

    /** Whether there are no nodes and no provisioning machines. */
    boolean isEmpty() {
        return nodes.isEmpty()
                && upcoming.stream().allMatch(bins -> bins.stream().allMatch(bin -> bin.count == 0));
    }

    /** Returns the nodes of a group, the fullest first, so that pods fill gaps before they use an idle node. */
    List<Bin> nodes(int group) {
        return nodes.get(group);
    }

    /**
     * Returns the provisioning machines of a pool: requested machines whose nodes are not usable yet. Each is assumed to have the resources
     * of the pool's template (the expected new node).
     */
    List<Bin> upcoming(int pool) {
        return upcoming.get(pool);
    }

    /**
     * Returns how many nodes of a pool accept pods and run no training.
     *
     * @param reserved names of nodes that are reserved for pods; such nodes are not counted
     */
    int idleNodes(int pool, Collection<String> reserved) {
        return (int) outlook.nodesOf(pool).stream()
                .filter(node -> node.isFree() && !reserved.contains(node.name()))
                .count();
    }

    private List<Bin> upcomingOf(int number) {
        var pool = outlook.pool(number);
        var now = outlook.snapshot().now();
        var bins = new ArrayList<Bin>();
        for (var node : outlook.nodesOf(number)) {
            if (awaited(node, pool, now)) {
                bins.add(Bin.node(Origin.UPCOMING, node.name(), free(node, pool)));
            }
        }
        bins.add(Bin.machines(Origin.UPCOMING, pool.upcoming(now), outlook.empty(number)));
        return bins;
    }

    private static Comparator<Bin> fullestFirst(long[] whole) {
        return Comparator.<Bin>comparingDouble(bin -> ResourceIndex.dominantShare(bin.free, whole))
                .thenComparing(bin -> bin.node);
    }

    private static boolean awaited(NodeView node, PoolView pool, Instant now) {
        var timeout = pool.pool().provisionTimeout();
        boolean inTime = now.isBefore(node.launchDeadline(PoolView.after(node.created(), timeout), timeout, now));
        return node.registering() && inTime && node.stays() && !node.isSick();
    }

    private long[] free(NodeView node) {
        return outlook.axes().pack(node.shape().allocatable().minus(used(node.pods())));
    }

    /**
     * Returns the free resources of a provisioning machine whose node has joined. The pool's template already excludes the resources that
     * DaemonSets' pods use.
     */
    private long[] free(NodeView node, PoolView pool) {
        return outlook.axes().pack(pool.template().allocatable().minus(used(node.trainingPods())));
    }

    /** Returns the resources in use after the pods that leave with their gangs have ended. */
    private Resources used(List<PodOnNode> pods) {
        return pods.stream()
                .filter(pod -> !outlook.snapshot().isFreed(pod))
                .map(PodOnNode::requests)
                .reduce(Resources.NONE, Resources::plus);
    }
}
