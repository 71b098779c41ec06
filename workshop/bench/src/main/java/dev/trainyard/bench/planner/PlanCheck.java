package dev.trainyard.bench.planner;

import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A check of a plan, independent of the planner. The check places the pods one by one where the plan says, and verifies that each pod fits.
 * Constraints between pods, such as affinity and spreading, are not checked. Only snapshots without provisioning machines are supported,
 * and only pools with no minimum and no spare machines.
 */
final class PlanCheck {

    private final Snapshot snapshot;
    private final Plan plan;
    private final List<String> faults = new ArrayList<>();
    private final Map<String, Resources> free = new HashMap<>();
    private final Map<String, Set<Integer>> used = new HashMap<>();

    private PlanCheck(Snapshot snapshot, Plan plan) {
        this.snapshot = snapshot;
        this.plan = plan;
    }

    /** Returns the faults of the plan; empty if no fault is found. */
    static List<String> faults(Snapshot snapshot, Plan plan) {
        var check = new PlanCheck(snapshot, plan);
        check.placePods();
        check.checkGrowths();
        return List.copyOf(check.faults);
    }

    private void placePods() {
        var nodes = new HashMap<String, NodeView>();
        snapshot.nodes().forEach(node -> nodes.put(node.name(), node));
        if (plan.outcomes().size() != snapshot.waiting().size()) {
            faults.add("the plan has %d outcomes for %d pending pods; expected one for each pod"
                    .formatted(plan.outcomes().size(), snapshot.waiting().size()));
        }
        for (var pod : snapshot.waiting()) {
            var outcome = plan.outcomes().get(pod.uid());
            if (outcome instanceof Outcome.OnNode on) {
                var node = Optional.ofNullable(nodes.get(on.node()));
                node.ifPresentOrElse(
                        n -> place(pod, "node " + n.name(), n.shape(), left(n)),
                        () -> faults.add("%s is placed on node %s, which does not exist".formatted(pod, on.node())));
            } else if (outcome instanceof Outcome.Growing growing) {
                place(pod, growing);
            } else if (!(outcome instanceof Outcome.Unplaced)) {
                faults.add("pod %s has the outcome %s; expected OnNode, Growing or Unplaced".formatted(pod, outcome));
            }
        }
    }

    private void place(PendingPod pod, Outcome.Growing growing) {
        used.computeIfAbsent(growing.pool(), pool -> new HashSet<>()).add(growing.machine());
        var pool = pool(growing.pool());
        if (pool.isEmpty() || !allowed(pod, growing.pool())) {
            faults.add("%s is placed on pool %s, which the pod cannot use".formatted(pod, growing.pool()));
            return;
        }
        var machine = pool.get().template();
        place(
                pod,
                "machine %d of pool %s".formatted(growing.machine(), growing.pool()),
                machine,
                machine.allocatable());
    }

    private void place(PendingPod pod, String where, NodeShape machine, Resources room) {
        var left = free.getOrDefault(where, room);
        Fit.check(pod.shape(), machine, left)
                .ifPresent(misfit -> faults.add("%s does not fit %s: %s".formatted(pod, where, misfit.reason())));
        free.put(where, left.minus(pod.shape().requests()));
    }

    private void checkGrowths() {
        for (var growth : plan.growths()) {
            var name = growth.pool().name();
            if (growth.to() > growth.pool().max()) {
                faults.add("pool %s grows to %d machines, but its maximum is %d"
                        .formatted(name, growth.to(), growth.pool().max()));
            }
            int needed = used.getOrDefault(name, Set.of()).size();
            if (needed != growth.machines()) {
                faults.add("pool %s launches %d machines, but the plan places pods on %d machines"
                        .formatted(name, growth.machines(), needed));
            }
        }
        used.forEach((name, machines) -> {
            int bought = plan.growths().stream()
                    .filter(growth -> growth.pool().name().equals(name))
                    .mapToInt(Growth::machines)
                    .sum();
            if (machines.stream().anyMatch(machine -> machine < 1 || machine > bought)) {
                faults.add("the plan places pods on machines of pool %s that are not launched".formatted(name));
            }
        });
    }

    private boolean allowed(PendingPod pod, String pool) {
        var tierName = pod.shape().tier();
        if (tierName == null) {
            return true;
        }
        var tier = snapshot.catalogue().tiers().get(tierName);
        return tier != null && tier.pools().stream().anyMatch(p -> p.name().equals(pool));
    }

    private Optional<PoolView> pool(String name) {
        return Optional.ofNullable(snapshot.pools().get(name));
    }

    private static Resources left(NodeView node) {
        var left = node.shape().allocatable();
        for (PodOnNode pod : node.pods()) {
            left = left.minus(pod.requests());
        }
        return left;
    }
}
