package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.catalogue.PlacementPolicy;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The choice of little-used machines to empty, so that fewer machines do the same work. The most expensive machines come first, and among
 * equal prices the least used ones. A machine is emptied only if all its pods may move and fit on machines that stay. No machine of a pool
 * is emptied while a pending pod could run on a machine of that pool. Machines are emptied in batches. The next batch begins after the pods
 * of the last batch are placed, since the free room is unknown until then.
 */
final class Consolidation {

    /**
     * The longest time for which a machine delays the next batch because some of its pods have not moved yet. After this time, room stays
     * reserved for these pods.
     */
    private static final Duration BATCH = Duration.ofMinutes(5);

    private final Snapshot snapshot;
    private final PlacementPolicy policy;
    private final Set<String> reserved;
    private final Allowance allowance;
    private final Instant now;
    private final Mobility mobility;

    /** @param reserved nodes that the plan reserves for pending pods */
    Consolidation(Snapshot snapshot, Set<String> reserved, Allowance allowance, Mobility mobility) {
        this.snapshot = snapshot;
        this.policy = snapshot.catalogue().policy();
        this.reserved = reserved;
        this.allowance = allowance;
        this.now = snapshot.now();
        this.mobility = mobility;
    }

    List<Verdict> choose(List<Verdict> verdicts) {
        if (verdicts.stream().noneMatch(verdict -> isCandidate(verdict) || verdict.state() == NodeState.DRAINING)) {
            return verdicts;
        }
        var elsewhere = new RelocationPlan(
                policy, verdicts.stream().filter(this::stays).map(Verdict::node).toList());
        var decided = new HashMap<String, Verdict>();
        verdicts.stream()
                .filter(verdict -> verdict.state() == NodeState.DRAINING)
                .forEach(verdict -> decided.put(verdict.node().name(), goesOn(verdict, elsewhere)));
        boolean underWay = verdicts.stream().anyMatch(this::isUnderWay);
        var contested = contested();
        verdicts.stream()
                .filter(Consolidation::isCandidate)
                .sorted(Comparator.comparing((Verdict verdict) -> Selection.price(verdict.node()))
                        .reversed()
                        .thenComparing(verdict -> Utilization.of(verdict.node()))
                        .thenComparing(verdict -> verdict.node().name()))
                .forEach(
                        verdict -> decided.put(verdict.node().name(), decide(verdict, elsewhere, underWay, contested)));
        return verdicts.stream()
                .map(verdict -> decided.getOrDefault(verdict.node().name(), verdict))
                .toList();
    }

    private static boolean isCandidate(Verdict verdict) {
        return verdict.state() == NodeState.UNDER_UTILIZED_DRAINABLE && verdict.step() instanceof Verdict.Keep;
    }

    /**
     * Reserves room for the pods of a draining machine. If one of the pods no longer fits on another machine, and the machine is drained
     * because it was little used, the drain is cancelled.
     */
    private Verdict goesOn(Verdict verdict, RelocationPlan elsewhere) {
        var node = verdict.node();
        var moving = moving(node);
        mobility.leave(moving);
        var moved = elsewhere.move(node, moving);
        return moved.unfit()
                .filter(pod -> isEmptied(node))
                .map(pod -> Verdict.act(
                        node,
                        NodeState.UNDER_UTILIZED_UNDRAINABLE,
                        "pod %s no longer fits on another machine".formatted(pod),
                        new Verdict.Uncordon()))
                .orElse(verdict);
    }

    private Verdict decide(
            Verdict candidate, RelocationPlan elsewhere, boolean underWay, Map<String, PendingPod> contested) {
        var node = candidate.node();
        var pool = Selection.poolOf(snapshot, node);
        var moving = moving(node);
        if (moving.isEmpty()) {
            return candidate.because("the pods on the node are already terminating");
        }
        var obstacle = mobility.obstacle(moving, pool.pool());
        if (obstacle.isPresent()) {
            return new Verdict(
                    node,
                    NodeState.UNDER_UTILIZED_UNDRAINABLE,
                    candidate.reason() + "; " + obstacle.get().reason(),
                    Verdict.KEEP,
                    obstacle.get().until());
        }
        var waits = postponed(candidate, pool, underWay, contested)
                .or(() -> elsewhere.receives(node)
                        ? Optional.of(candidate.because("pods of other machines will move to this machine"))
                        : Optional.empty());
        if (waits.isPresent()) {
            return waits.get();
        }
        var moved = elsewhere.move(node, moving);
        if (moved.unfit().isPresent()) {
            return Verdict.keep(
                    node,
                    NodeState.UNDER_UTILIZED_UNDRAINABLE,
                    candidate.reason()
                            + "; pod %s fits on no other machine that is kept"
                                    .formatted(moved.unfit().get()));
        }
        elsewhere.leaves(node);
        mobility.leave(moving);
        allowance.take(pool, false);
        return Verdict.act(
                node,
                NodeState.UNDER_UTILIZED_DRAINABLE,
                "%s for %s; all its pods fit on %s"
                        .formatted(
                                candidate.reason(),
                                Lifecycle.words(Duration.between(since(node), now)),
                                String.join(", ", moved.nodes())),
                new Verdict.Cordon(new Removal(Removal.Reason.UNDER_UTILIZED, now)));
    }

    /** Returns why a machine that could be emptied is kept in this round; empty if there is no such reason. */
    private Optional<Verdict> postponed(
            Verdict candidate, PoolView pool, boolean underWay, Map<String, PendingPod> contested) {
        var node = candidate.node();
        var until = PoolView.after(since(node), pool.pool().idleAfter());
        if (now.isBefore(until)) {
            return Optional.of(Verdict.keepUntil(
                    node,
                    candidate.state(),
                    candidate.reason() + "; if the utilization stays low, the machine is drained after " + until,
                    until));
        }
        var paid = Selection.paidUntil(node, pool, now);
        if (paid.isPresent()) {
            return Optional.of(Verdict.keepUntil(
                    node,
                    candidate.state(),
                    candidate.reason() + "; the machine is paid for and stays until " + paid.get(),
                    paid.get()));
        }
        return reason(node, pool, underWay, contested).map(candidate::because);
    }

    private Optional<String> reason(NodeView node, PoolView pool, boolean underWay, Map<String, PendingPod> contested) {
        if (pool.state().isEmpty()) {
            return Optional.of("kept while pool %s cannot be read".formatted(pool.name()));
        }
        if (reserved.contains(node.name())) {
            return Optional.of("the node is reserved for pending pods");
        }
        var waiting = contested.get(pool.name());
        if (waiting != null) {
            return Optional.of("pending pod %s could use a machine of pool %s".formatted(waiting, pool.name()));
        }
        if (underWay) {
            return Optional.of("the machine is drained after the pods of other drained machines are placed");
        }
        if (allowance.isAtMinimum(pool)) {
            return Optional.of(Selection.atMinimum(pool));
        }
        return allowance.isUsedUp(pool)
                ? Optional.of("the machine is removed later: the limit of removals at a time is reached")
                : Optional.empty();
    }

    /**
     * Returns, by pool, a pending pod that could use a machine of the pool. A pod that has been pending for longer than the pool's
     * provision timeout is ignored. A machine is unlikely to help such a pod, and the pod must not prevent consolidation forever.
     */
    private Map<String, PendingPod> contested() {
        var contested = new HashMap<String, PendingPod>();
        for (var pool : snapshot.pools().values()) {
            snapshot.waiting().stream()
                    .filter(pod ->
                            now.isBefore(PoolView.after(pod.since(), pool.pool().provisionTimeout())))
                    .filter(pod -> mayUse(pod, pool))
                    .findFirst()
                    .ifPresent(pod -> contested.put(pool.name(), pod));
        }
        return contested;
    }

    private boolean mayUse(PendingPod pod, PoolView pool) {
        return policy.access(pod.shape(), Optional.of(pool.pool()), pool.template()) == Access.ALLOWED
                && Fit.checkEmpty(pod.shape(), pool.template()).isEmpty();
    }

    /** Whether the node accepts pods and is expected to stay. */
    private boolean stays(Verdict verdict) {
        var node = verdict.node();
        boolean takesPods =
                node.takesPods() && !reserved.contains(node.name()) && verdict.step() instanceof Verdict.Keep;
        return takesPods
                && switch (verdict.state()) {
                    case BUSY, UNDER_UTILIZED_DRAINABLE, UNDER_UTILIZED_UNDRAINABLE ->
                        !moving(node).isEmpty();
                    case ASG_MIN_SIZE, DETACHED, ORPHANED -> true;
                    // Excludes nodes that have a pool's labels, but are on none of the pool's machines: their machines
                    // are unknown.
                    case UNMANAGED -> node.pool().isEmpty();
                    default -> false;
                };
    }

    private boolean isUnderWay(Verdict verdict) {
        var node = verdict.node();
        return isEmptied(node)
                && !node.terminating()
                && (node.trainingPods().isEmpty()
                        || node.marks()
                                .removal()
                                .filter(removal -> now.isBefore(removal.since().plus(BATCH)))
                                .isPresent());
    }

    private static boolean isEmptied(NodeView node) {
        return node.marks()
                .removal()
                .filter(removal -> removal.reason() == Removal.Reason.UNDER_UTILIZED)
                .isPresent();
    }

    private static List<PodOnNode> moving(NodeView node) {
        return node.trainingPods().stream().filter(pod -> !pod.terminating()).toList();
    }

    private Instant since(NodeView node) {
        return node.marks().underUtilizedSince().orElse(now);
    }
}
