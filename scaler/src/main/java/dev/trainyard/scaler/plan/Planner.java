package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import dev.trainyard.scaler.plan.PlanningPass.Style;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The planner, which decides which pools grow. Planning is a pure function: the same input gives the same plan.
 *
 * <p>All pending pods are planned together, so that pods of one shape can use the rest of a machine that is requested for pods of another
 * shape. Each demand (a group of equal pending pods) gets free room on existing nodes first, and then on provisioning machines. Only then
 * are new machines requested, pool by pool in the order of the demand's tier.
 */
public final class Planner {

    private Planner() {}

    /**
     * The default priority cut-off, as in Cluster Autoscaler ({@code --expendable-pods-priority-cutoff}). Pods of a lower priority may use
     * free room, but no machine is requested for them.
     */
    public static final int DEFAULT_PRIORITY_CUTOFF = -10;

    /**
     * Plans for the pending pods of a snapshot. Requests no more machines than the demand, the pools' minima and the pools' spare machines
     * need.
     */
    public static Plan plan(Snapshot snapshot) {
        return plan(snapshot, Map.of());
    }

    /**
     * Plans for the pending pods of a snapshot.
     *
     * @param passedOver by pod UID: the name of a node that had room for the pod, but that the scheduler did not use; see {@link Offers}
     */
    public static Plan plan(Snapshot snapshot, Map<String, String> passedOver) {
        return plan(snapshot, passedOver, DEFAULT_PRIORITY_CUTOFF);
    }

    /**
     * Plans for the pending pods of a snapshot, for the pods that will be pending soon because the cloud will reclaim their machines, and for
     * the pods that may return to spot machines.
     *
     * @param passedOver by pod UID: the name of a node that had room for the pod, but that the scheduler did not use; see {@link Offers}
     * @param priorityCutoff the lowest priority of pods for which machines are requested
     */
    public static Plan plan(Snapshot snapshot, Map<String, String> passedOver, int priorityCutoff) {
        var withdrawals = withdrawals(snapshot);
        var after = snapshot;
        for (var withdrawal : withdrawals) {
            var pool = after.pools().get(withdrawal.pool().name());
            if (pool != null) {
                after = after.with(pool.withTarget(withdrawal.to()));
            }
        }
        var set = setAside(after, passedOver, priorityCutoff);
        var plannable = Stream.concat(
                        after.demand().stream().filter(pod -> !set.containsKey(pod.uid())),
                        after.returning().stream().flatMap(move -> move.pods().stream()))
                .toList();
        var outlook = new PlanningInput(after, plannable);
        return new PlanBuilder(outlook, best(outlook), set).plan(withdrawals);
    }

    /** Returns, by pod uid, why a pod is left out of planning. */
    private static Map<String, Unplaced> setAside(
            Snapshot snapshot, Map<String, String> passedOver, int priorityCutoff) {
        var set = Blocked.of(snapshot, passedOver);
        for (var pod : snapshot.demand()) {
            if (pod.priority() < priorityCutoff) {
                set.put(pod.uid(), Explanations.belowCutoff(pod, priorityCutoff));
            }
        }
        var rest = snapshot.demand().stream()
                .filter(pod -> !set.containsKey(pod.uid()))
                .toList();
        set.putAll(Gangs.unready(rest, snapshot.gangs(), snapshot.now()));
        return set;
    }

    /**
     * Returns the best of several passes, since no order is best for all demand. Further orders are tried only if another order can make a
     * difference.
     */
    private static PlanningPass best(PlanningInput outlook) {
        var hardestFirst = outlook.batches();
        var best = pass(outlook, new Style(hardestFirst, false, false));
        if (hardestFirst.isEmpty() || (best.machines() == 0 && best.unplacedPods() == 0)) {
            return best;
        }
        boolean alone = false;
        if (outlook.demands().stream()
                .anyMatch(demand -> outlook.candidates(demand).mayChoose())) {
            var other = pass(outlook, new Style(hardestFirst, false, true));
            alone = isBetter(other, best);
            best = alone ? other : best;
        }
        if (outlook.stock().isEmpty()) {
            return best;
        }
        // The order decides which pod gets which existing machine. If a pod that could use several machines takes the
        // only machine that another pod can use, the other pod needs a new machine, or stays unplaced if its pools are
        // full.
        var choosiestFirst =
                hardestFirst.stream().sorted(Batch.choosiestFirst()).toList();
        for (var style : List.of(
                new Style(hardestFirst, true, alone),
                new Style(choosiestFirst, false, alone),
                new Style(choosiestFirst, true, alone))) {
            var other = pass(outlook, style);
            best = isBetter(other, best) ? other : best;
        }
        return best;
    }

    private static PlanningPass pass(PlanningInput outlook, Style style) {
        return new PlanningPass(outlook, style).run();
    }

    /** Whether {@code one} places more pods of the highest priority at which the two passes differ, or as many pods at a lower cost. */
    private static boolean isBetter(PlanningPass one, PlanningPass other) {
        int byPlaced = one.compareUnplaced(other);
        return byPlaced < 0 || (byPlaced == 0 && one.cost() < other.cost());
    }

    private static List<Withdrawal> withdrawals(Snapshot snapshot) {
        var withdrawals = new ArrayList<Withdrawal>();
        for (var pool : snapshot.pools().values()) {
            if (pool.unfillable(snapshot.now()) && pool.unfilled() > 0) {
                var state = pool.state().orElseThrow();
                // The cloud resource accepts no target below its minimum, even if fewer machines were delivered.
                int to = Math.max(
                        state.target() - pool.unfilled(), state.bounds().least());
                if (to >= state.target()) {
                    continue;
                }
                withdrawals.add(new Withdrawal(
                        pool.pool(),
                        state.target(),
                        to,
                        pool.ledger()
                                .backOff()
                                .map(b -> b.kind() + ": " + b.reason())
                                .orElse("")));
            }
        }
        return withdrawals;
    }
}
