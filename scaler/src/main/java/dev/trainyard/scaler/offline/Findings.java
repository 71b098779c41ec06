package dev.trainyard.scaler.offline;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.GangView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.Unreadable;
import dev.trainyard.scaler.offline.Proposal.NodeChange;
import dev.trainyard.scaler.offline.Proposal.PlacedPod;
import dev.trainyard.scaler.offline.Proposal.PoolChange;
import dev.trainyard.scaler.offline.Proposal.UnplacedPod;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Withdrawal;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The decisions of a round, which can be converted into a {@link Proposal}.
 *
 * @param before the snapshot before the plan
 * @param after the snapshot after all requests of the plan are made
 */
record Findings(Snapshot before, Snapshot after, Plan plan, List<Verdict> verdicts) {

    /**
     * Converts the decisions into a proposal.
     *
     * @param unusable the sizes of invalid pools, by name of the pool
     * @param refused why the webhook would refuse pods, by {@code namespace/name}
     */
    Proposal proposal(Map<String, Integer> unusable, Map<String, String> refused, PlanRemarks remarks) {
        var remove = verdicts.stream().filter(Findings::goes).toList();
        var pools = new ArrayList<PoolChange>();
        before.pools().values().forEach(pool -> pools.add(change(pool, remove)));
        unusable.forEach((name, size) -> pools.add(new PoolChange(
                name, size, size, "the pool is invalid; nothing is planned for it until the pool is fixed")));
        pools.sort(Comparator.comparing(PoolChange::name));
        var unplaced = new ArrayList<UnplacedPod>();
        var placed = new ArrayList<PlacedPod>();
        for (var pod : before.waiting()) {
            sort(pod, unplaced, placed);
        }
        refused.forEach((pod, reason) -> unplaced.add(new UnplacedPod(pod, reason)));
        before.unreadable().stream()
                .filter(object -> object.kind().equals("Pod"))
                .forEach(pod -> unplaced.add(new UnplacedPod(title(pod), pod.message())));
        unplaced.sort(Comparator.comparing(UnplacedPod::pod));
        placed.sort(Comparator.comparing(PlacedPod::pod));
        return new Proposal(
                before.now().toString(),
                pools,
                unplaced,
                remove.stream().map(Findings::change).toList(),
                placed,
                verdicts.stream()
                        .filter(verdict -> !goes(verdict))
                        .map(Findings::change)
                        .toList(),
                gangs(),
                remarks.notes(),
                remarks.problems());
    }

    /** Returns the gangs of pending pods. A gang that cannot be planned is left out, since each of its pods says why. */
    private List<Proposal.Gang> gangs() {
        var pending = new TreeMap<String, Proposal.Gang>();
        for (var pod : before.waiting()) {
            pod.gang()
                    .filter(GangView::isKnown)
                    .ifPresent(gang -> pending.merge(
                            gang.key(),
                            new Proposal.Gang(gang.name(), gang.size(), 1, gang.source()),
                            (one, other) -> new Proposal.Gang(
                                    one.gang(), one.size(), one.pending() + other.pending(), one.source())));
        }
        return pending.values().stream()
                .sorted(Comparator.comparing(Proposal.Gang::gang))
                .toList();
    }

    private static String title(Unreadable pod) {
        return pod.namespace() + "/" + pod.name();
    }

    private void sort(PendingPod pod, List<UnplacedPod> unplaced, List<PlacedPod> placed) {
        var outcome = plan.outcomes().get(pod.uid());
        if (outcome instanceof Outcome.OnNode onNode) {
            placed.add(new PlacedPod(pod.toString(), onNode.node(), "", onNode.message()));
        } else if (outcome instanceof Outcome.Held held) {
            placed.add(new PlacedPod(pod.toString(), held.node(), "", held.message()));
        } else if (outcome instanceof Outcome.Upcoming upcoming) {
            placed.add(new PlacedPod(pod.toString(), "", upcoming.pool(), upcoming.message()));
        } else if (outcome instanceof Outcome.Growing growing) {
            placed.add(new PlacedPod(pod.toString(), "", growing.pool(), growing.message()));
        } else {
            unplaced.add(new UnplacedPod(pod.toString(), outcome == null ? "nothing was planned" : outcome.message()));
        }
    }

    /**
     * Whether the node's removal begins or makes progress in this round. True also for an empty node that waits for the end of its machine.
     * False while a draining node only waits for its pods to end.
     */
    private static boolean goes(Verdict verdict) {
        var step = verdict.step();
        return step instanceof Verdict.Cordon
                || step instanceof Verdict.Evict
                || step instanceof Verdict.Terminate
                || step instanceof Verdict.Delete
                || (step instanceof Verdict.Keep
                        && (verdict.state() == NodeState.TERMINATING
                                || verdict.state() == NodeState.IDLE_UNSCHEDULABLE));
    }

    private static NodeChange change(Verdict verdict) {
        var node = verdict.node();
        return new NodeChange(
                node.name(),
                node.pool().map(Pool::name).orElse(""),
                verdict.state().toString(),
                verdict.reason());
    }

    private PoolChange change(PoolView pool, List<Verdict> remove) {
        int current = target(pool);
        var changed = after.pools().getOrDefault(pool.name(), pool);
        long leaving =
                remove.stream().filter(verdict -> isCounted(verdict, pool)).count();
        return new PoolChange(
                pool.name(), current, Math.max(0, (int) (target(changed) - leaving)), reason(pool, leaving));
    }

    private static boolean isCounted(Verdict verdict, PoolView pool) {
        return pool.machineOf(verdict.node()).filter(Machine::counts).isPresent();
    }

    private static int target(PoolView pool) {
        return pool.state().map(PoolState::target).orElse(0);
    }

    private String reason(PoolView pool, long leaving) {
        var reasons = new ArrayList<String>();
        plan.withdrawals().stream()
                .filter(withdrawal -> withdrawal.pool().name().equals(pool.name()))
                .map(Withdrawal::toString)
                .forEach(reasons::add);
        plan.growths().stream()
                .filter(growth -> growth.pool().name().equals(pool.name()))
                .map(Growth::toString)
                .forEach(reasons::add);
        pool.ledger()
                .backOff()
                .filter(backOff -> backOff.active(before.now()))
                .map(backOff ->
                        "backs off until %s: %s: %s".formatted(backOff.until(), backOff.kind(), backOff.reason()))
                .ifPresent(reasons::add);
        if (leaving > 0) {
            reasons.add(leaving == 1 ? "1 machine is removed" : leaving + " machines are removed");
        }
        if (reasons.isEmpty()) {
            reasons.add(unchanged(pool));
        }
        return String.join("; ", reasons);
    }

    private String unchanged(PoolView pool) {
        int upcoming = pool.upcoming(before.now());
        if (upcoming > 0) {
            return "%d of the pool's machines are provisioning, and no more machines are needed".formatted(upcoming);
        }
        return target(pool) >= pool.pool().max()
                ? "the pool is at its maximum of %d machines"
                        .formatted(pool.pool().max())
                : "no pending pod needs a machine of this pool, and no machine is removed";
    }
}
