package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.WaitingPod;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import dev.trainyard.scaler.plan.Room.Origin;
import dev.trainyard.scaler.plan.Room.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** One pass over all demand in a given order. Used once. */
final class Planning {

    private final Snapshot snapshot;
    private final Supply supply;
    /** Machines to come that this pass has put pods on already. */
    private final Room opened = new Room();

    private final TreeMap<String, Purchase> purchases = new TreeMap<>();
    private final Map<String, Outcome> outcomes = new HashMap<>();
    private final Set<String> reserved = new HashSet<>();

    Planning(Snapshot snapshot) {
        this.snapshot = snapshot;
        this.supply = Supply.of(snapshot);
        snapshot.pools().values().forEach(pool -> purchases.put(pool.name(), new Purchase(pool)));
    }

    Plan run(List<Demand> demands, List<Withdrawal> withdrawals) {
        demands.forEach(this::place);
        snapshot.pools().values().forEach(this::keepMinimumAndSpare);
        var growths = purchases.values().stream()
                .map(Purchase::growth)
                .flatMap(Optional::stream)
                .toList();
        return new Plan(growths, withdrawals, outcomes, reserved);
    }

    private void place(Demand demand) {
        var pods = demand.pods().iterator();
        var candidates = Candidates.of(demand, snapshot);
        var names = candidates.fitting().stream().map(PoolView::name).toList();
        var tier = Optional.<String>ofNullable(demand.shape().tier())
                .map(snapshot.catalogue().tiers()::get);

        int left = demand.pods().size();
        left -= take(
                demand,
                left,
                pods,
                supply.nodes(),
                supply.nodes(),
                place -> Candidates.suits(demand.shape(), place.shape(), tier));
        left -= take(demand, left, pods, opened, opened, place -> names.contains(place.pool()));
        for (var pool : candidates.fitting()) {
            left -= take(demand, left, pods, supply.machinesOf(pool), opened, place -> true);
        }
        if (left == 0) {
            return;
        }
        var why = candidates.none().orElseGet(() -> buy(demand, pods, candidates.fitting()));
        pods.forEachRemaining(pod -> outcomes.put(pod.uid(), unplaced(demand, why)));
    }

    private int take(
            Demand demand, int left, Iterator<WaitingPod> pods, Room room, Room opened, Predicate<Place> allowed) {
        int placed = 0;
        for (var taken : room.take(demand.shape(), left, allowed, opened)) {
            if (!taken.place().node().isEmpty()) {
                reserved.add(taken.place().node());
            }
            for (int i = 0; i < taken.pods(); i++) {
                var pod = pods.next();
                outcomes.put(pod.uid(), outcome(pod, taken.place()));
            }
            placed += taken.pods();
        }
        return placed;
    }

    /**
     * Buys for the pods that are left, from one pool after the other.
     *
     * @return why there are pods left after that; not looked at when there are none
     */
    private Unplaced buy(Demand demand, Iterator<WaitingPod> pods, List<PoolView> pools) {
        var refusals = new ArrayList<Unplaced>();
        int left = remaining(demand);
        for (var pool : pools) {
            var purchase = purchase(pool);
            var refusal = Explanations.passedOver(pool, purchase.room(), snapshot.now());
            if (refusal.isEmpty()) {
                refusals.forEach(passed -> purchase.insteadOf(passed.message()));
                left -= take(demand, left, pods, newMachines(demand, left, pool), opened, place -> true);
                if (left == 0) {
                    break;
                }
                refusal = Explanations.passedOver(pool, 0, snapshot.now());
            }
            refusal.ifPresent(refusals::add);
            if (mustWaitFor(pool)) {
                break;
            }
        }
        return Explanations.all(refusals);
    }

    private Room newMachines(Demand demand, int pods, PoolView pool) {
        long each = Room.holds(Place.machines(pool, Origin.NEW, 1), demand.shape());
        int wanted = (int) ((pods + each - 1) / each);
        var room = new Room();
        room.add(Place.machines(pool, Origin.NEW, purchase(pool).buy(wanted, demand.whom())));
        return room;
    }

    private int remaining(Demand demand) {
        return (int) demand.pods().stream()
                .filter(pod -> !outcomes.containsKey(pod.uid()))
                .count();
    }

    /** A pool that cannot be read may have machines coming: the next one is not asked until patience is at its end. */
    private boolean mustWaitFor(PoolView pool) {
        return pool.state().isEmpty()
                && pool.ledger()
                        .unreadSince()
                        .map(since -> snapshot.now().isBefore(since.plus(pool.patience())))
                        .orElse(true);
    }

    private void keepMinimumAndSpare(PoolView pool) {
        var purchase = purchase(pool);
        if (Explanations.passedOver(pool, purchase.room(), snapshot.now()).isPresent()) {
            return;
        }
        int missing = pool.pool().min() - purchase.target();
        int forMinimum = missing <= 0
                ? 0
                : purchase.buy(missing, "its minimum of " + pool.pool().min());
        int idle = forMinimum
                + supply.machinesOf(pool).size()
                + (int) snapshot.nodesOf(pool.name()).stream()
                        .filter(this::isIdle)
                        .count();
        if (idle < pool.pool().spare()) {
            purchase.buy(
                    pool.pool().spare() - idle, "%d spare".formatted(pool.pool().spare()));
        }
    }

    private boolean isIdle(NodeView node) {
        return node.usable()
                && node.shape().schedulable()
                && node.trainingPods().isEmpty()
                && !reserved.contains(node.name());
    }

    private Purchase purchase(PoolView pool) {
        return purchases.computeIfAbsent(pool.name(), name -> new Purchase(pool));
    }

    private static Outcome outcome(WaitingPod pod, Place place) {
        var caveat = Explanations.caveat(pod.shape());
        return switch (place.origin()) {
            case NODE ->
                new Outcome.OnNode(
                        place.node(),
                        "node %s has room for it%s; the scheduler last said: %s"
                                .formatted(place.node(), caveat, pod.verdict()));
            case UPCOMING ->
                new Outcome.Upcoming(
                        place.pool(), "a machine of pool %s is on its way%s".formatted(place.pool(), caveat));
            case NEW ->
                new Outcome.Growing(
                        place.pool(), "a machine of pool %s is asked for%s".formatted(place.pool(), caveat));
        };
    }

    private static Outcome unplaced(Demand demand, Unplaced why) {
        boolean nobodys = !demand.ours() && demand.shape().tier() == null;
        return nobodys && why.reason() == Outcome.Reason.FITS_NO_POOL
                ? new Outcome.NotOurs(why.message())
                : new Unplaced(why.reason(), why.message() + Explanations.caveat(demand.shape()));
    }
}
