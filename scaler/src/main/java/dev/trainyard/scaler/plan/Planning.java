package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.plan.Bin.Origin;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One pass over all demand in a given order. Used once. */
final class Planning {

    /** How a pass decides what is open. */
    record Style(Comparator<Batch> order, boolean lastResortFirst, boolean alone) {}

    private final Outlook outlook;
    private final Style style;
    private final Journal journal = new Journal();
    private final Supply supply;
    private final List<Purchase> purchases;
    private final @Nullable Unplaced[] unplaced;
    private final int[] left;
    private final int[] minimum;
    private final Map<Long, Set<Refusal>> insteadOf = new HashMap<>();

    Planning(Outlook outlook, Style style) {
        this.outlook = outlook;
        this.style = style;
        this.supply = new Supply(outlook, journal);
        this.purchases = outlook.pools().stream()
                .map(pool -> new Purchase(pool, journal))
                .toList();
        this.unplaced = new Unplaced[outlook.demands().size()];
        this.minimum = new int[purchases.size()];
        this.left = outlook.demands().stream().mapToInt(Demand::size).toArray();
    }

    /** The result of a pass. */
    Planning run(List<Batch> batches) {
        for (int pool = 0; pool < purchases.size(); pool++) {
            keepMinimum(pool);
            keepSpareAside(pool);
        }
        for (var batch : batches.stream().sorted(style.order()).toList()) {
            if (batch.isGang()) {
                placeAllOrNone(batch);
            } else {
                place(batch.demands().get(0));
            }
        }
        new Downsizing(outlook, supply, purchases).run();
        return this;
    }

    Supply supply() {
        return supply;
    }

    Purchase purchase(int pool) {
        return purchases.get(pool);
    }

    /** How many machines were bought for a pool's minimum. */
    int minimum(int pool) {
        return minimum[pool];
    }

    /** Why there are pods of the demand without a place; only where there are. */
    Unplaced why(Demand demand) {
        var why = unplaced[demand.index()];
        if (why == null) {
            throw new IllegalStateException("nobody said why pods wait: " + demand.shape());
        }
        return why;
    }

    /** Why other pools were not asked for what the demand got of this one. */
    Set<Refusal> insteadOf(Demand demand, int pool) {
        return insteadOf.getOrDefault(key(demand, pool), Set.of());
    }

    long unplacedPods() {
        return IntStream.of(left).sum();
    }

    /** Of all new machines for an hour. */
    double cost() {
        double cost = 0;
        for (int pool = 0; pool < purchases.size(); pool++) {
            cost += purchases.get(pool).machines() * Cost.of(outlook.pool(pool));
        }
        return cost;
    }

    int machines() {
        return purchases.stream().mapToInt(Purchase::machines).sum();
    }

    private void placeAllOrNone(Batch gang) {
        journal.begin();
        for (var member : gang.demands()) {
            place(member);
            if (left[member.index()] > 0) {
                var why = Explanations.notWhole(gang, member, left[member.index()], why(member));
                journal.takeBack();
                gang.demands().forEach(each -> unplaced[each.index()] = why);
                return;
            }
        }
        journal.keep();
    }

    private void place(Demand demand) {
        useNodes(demand);
        var candidates = outlook.candidates(demand);
        useMachines(demand, candidates.fitting());
        if (left[demand.index()] > 0) {
            unplaced[demand.index()] = candidates.none().orElseGet(() -> buy(demand, candidates));
        }
    }

    private void useNodes(Demand demand) {
        for (int group : outlook.groupsFor(demand)) {
            take(demand, supply.nodes(group), supply.nodes(group));
        }
    }

    private void useMachines(Demand demand, int[] pools) {
        for (int pool : pools) {
            take(demand, supply.opened(pool), supply.opened(pool));
        }
        for (int i = 0; i < pools.length; i++) {
            int pool = pools[style.lastResortFirst() ? pools.length - 1 - i : i];
            take(demand, supply.untouched(pool), supply.opened(pool));
        }
        for (int i = 0; i < pools.length; i++) {
            int pool = pools[style.lastResortFirst() ? pools.length - 1 - i : i];
            take(demand, supply.spare(pool), supply.opened(pool));
        }
    }

    private void take(Demand demand, Bins from, Bins used) {
        if (left[demand.index()] > 0) {
            placed(demand, from.take(demand, left[demand.index()], used));
        }
    }

    private void placed(Demand demand, int pods) {
        if (pods > 0) {
            left[demand.index()] -= pods;
            journal.changed(() -> left[demand.index()] += pods);
        }
    }

    /**
     * Buys for the pods that are left, from one pool after the other.
     *
     * @return why there are pods left after that; not looked at when there are none
     */
    private Unplaced buy(Demand demand, Candidates candidates) {
        var refusals = new ArrayList<Refusal>();
        var pools = inOrder(demand, candidates);
        for (int place = 0; place < pools.length; place++) {
            int number = pools[place];
            var pool = outlook.pool(number);
            int wanted = Cost.machines(demand, left[demand.index()], outlook.empty(number));
            var refusal = outlook.refusal(number);
            if (refusal.isEmpty()) {
                int bought = purchases.get(number).buy(wanted);
                if (bought > 0) {
                    var reasons = insteadOf.computeIfAbsent(key(demand, number), key -> new HashSet<>());
                    reasons.addAll(candidates.misfitsBefore(place));
                    reasons.addAll(refusals);
                    placed(
                            demand,
                            supply.opened(number).open(bought, outlook.empty(number), demand, left[demand.index()]));
                }
                if (left[demand.index()] == 0) {
                    break;
                }
                refusal = Optional.of(Explanations.atMaximum(pool, wanted, bought));
            }
            refusals.add(refusal.get());
            if (mustWaitFor(pool)) {
                break;
            }
        }
        return Explanations.all(refusals);
    }

    private int[] inOrder(Demand demand, Candidates candidates) {
        if (!candidates.equal() || !style.alone()) {
            return candidates.fitting();
        }
        int pods = left[demand.index()];
        return IntStream.of(candidates.fitting())
                .boxed()
                .sorted(Comparator.<Integer>comparingDouble(pool -> Cost.alone(demand, pods, pool, outlook))
                        .thenComparingLong(pool ->
                                outlook.pool(pool).template().allocatable().gpus()
                                        * Cost.machines(demand, pods, outlook.empty(pool)))
                        .thenComparing(Comparator.naturalOrder()))
                .mapToInt(pool -> pool)
                .toArray();
    }

    private static long key(Demand demand, int pool) {
        return ((long) demand.index() << Integer.SIZE) | pool;
    }

    /**
     * A pool that cannot be read, or whose last request failed in a way that leaves open whether it was accepted, may have machines coming:
     * the next one is not asked until patience is at its end.
     */
    private boolean mustWaitFor(PoolView pool) {
        var now = outlook.snapshot().now();
        if (pool.state().isPresent()) {
            return pool.ledger()
                    .backOff()
                    .filter(backOff -> backOff.active(now) && backOff.mayPassSoon())
                    .isPresent();
        }
        return pool.ledger()
                .unreadSince()
                .map(since -> now.isBefore(PoolView.after(since, pool.patience())))
                .orElse(true);
    }

    /** First of all, so that machines that are bought anyway are there for whoever waits. */
    private void keepMinimum(int number) {
        var pool = outlook.pool(number);
        int missing = pool.pool().min() - purchases.get(number).target();
        if (missing > 0 && outlook.refusal(number).isEmpty()) {
            minimum[number] = purchases.get(number).buy(missing);
            supply.untouched(number).add(Bin.machines(Origin.MINIMUM, minimum[number], outlook.empty(number)));
        }
    }

    /** Machines to come stay idle as far as the pool's idle nodes are fewer than it is to keep. */
    private void keepSpareAside(int number) {
        int wanted = outlook.pool(number).pool().spare();
        if (wanted > 0) {
            int missing = wanted - outlook.stock().idleNodes(number, List.of());
            supply.untouched(number).setAside(missing, supply.spare(number));
        }
    }
}
