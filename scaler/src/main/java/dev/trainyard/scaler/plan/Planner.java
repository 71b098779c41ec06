package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.PoolState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Decides which pools grow. A pure function: the same snapshot gives the same plan.
 *
 * <p>All demand is planned at once, so that what one shape leaves of a new machine is there for the next. Each demand is offered the room of
 * nodes that exist, then machines that are on their way, and only then new ones, pool by pool in its tier's order.
 */
public final class Planner {

    private Planner() {}

    /** Never asks for more than the demand, the pools' minima and their spare machines call for. */
    public static Plan plan(Snapshot snapshot) {
        return plan(snapshot, Map.of());
    }

    /** @param passedOver by pod uid: a node with room for it that the scheduler did not bind it to; see {@link Offers} */
    public static Plan plan(Snapshot snapshot, Map<String, String> passedOver) {
        var withdrawals = withdrawals(snapshot);
        var after = snapshot;
        for (var withdrawal : withdrawals) {
            var pool = after.pools().get(withdrawal.pool().name());
            if (pool != null) {
                after = after.with(pool.withTarget(withdrawal.to()));
            }
        }
        var blocked = Blocked.of(after, passedOver);
        var demands = Demand.of(after.waiting().stream()
                .filter(pod -> !blocked.containsKey(pod.uid()))
                .toList());
        var best = new Planning(after, blocked, false).run(sorted(demands, Demand.hardestFirst()), withdrawals);
        if (best.growths().isEmpty() || demands.isEmpty()) {
            return best;
        }
        // Which pod takes which of the machines on their way is open, and a poor choice buys a machine too many for the
        // pod that could have
        // used only the one that another took. So other choices are tried before money is spent.
        var choosy = sorted(demands, choosiestFirst(after));
        for (var other : List.of(
                new Planning(after, blocked, true).run(sorted(demands, Demand.hardestFirst()), withdrawals),
                new Planning(after, blocked, false).run(choosy, withdrawals),
                new Planning(after, blocked, true).run(choosy, withdrawals))) {
            if (machines(other) < machines(best) && unplaced(other) <= unplaced(best)) {
                best = other;
            }
        }
        return best;
    }

    private static List<Withdrawal> withdrawals(Snapshot snapshot) {
        var withdrawals = new ArrayList<Withdrawal>();
        for (var pool : snapshot.pools().values()) {
            if (pool.unfillable(snapshot.now()) && pool.unfilled() > 0) {
                int target = pool.state().map(PoolState::target).orElseThrow();
                withdrawals.add(new Withdrawal(
                        pool.pool(),
                        target,
                        target - pool.unfilled(),
                        pool.ledger()
                                .backOff()
                                .map(b -> b.kind() + ": " + b.reason())
                                .orElse("")));
            }
        }
        return withdrawals;
    }

    private static List<Demand> sorted(List<Demand> demands, Comparator<Demand> order) {
        return demands.stream().sorted(order).toList();
    }

    private static Comparator<Demand> choosiestFirst(Snapshot snapshot) {
        var byPriority = Comparator.comparingInt(Demand::priority).reversed();
        return byPriority
                .thenComparingInt(
                        demand -> Candidates.of(demand, snapshot).fitting().size())
                .thenComparing(Demand.hardestFirst());
    }

    private static int machines(Plan plan) {
        return plan.growths().stream().mapToInt(Growth::machines).sum();
    }

    private static long unplaced(Plan plan) {
        return plan.outcomes().values().stream()
                .filter(outcome -> outcome instanceof Outcome.Unplaced)
                .count();
    }
}
