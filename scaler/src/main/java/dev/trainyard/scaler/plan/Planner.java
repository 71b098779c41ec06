package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.PoolState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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
        var withdrawals = withdrawals(snapshot);
        var after = snapshot;
        for (var withdrawal : withdrawals) {
            var pool = after.pools().get(withdrawal.pool().name());
            if (pool != null) {
                after = after.with(pool.withTarget(withdrawal.to()));
            }
        }
        var demands = Demand.of(after.waiting());
        // Who has fewest pools to choose from chooses first, or else the others take what only he could have used. That
        // is not always best
        // either, so that the cheaper of the two plans counts: one that buys nothing where machines on their way
        // suffice.
        var hardest = new Planning(after).run(sorted(demands, Demand.hardestFirst()), withdrawals);
        if (hardest.growths().isEmpty() || demands.size() < 2) {
            return hardest;
        }
        var choosy = new Planning(after).run(sorted(demands, choosiestFirst(after)), withdrawals);
        return machines(choosy) < machines(hardest) && unplaced(choosy) <= unplaced(hardest) ? choosy : hardest;
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
