package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.WaitingPod;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import dev.trainyard.scaler.plan.Room.Origin;
import dev.trainyard.scaler.plan.Room.Place;
import java.util.ArrayList;
import java.util.Collections;
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
    private final boolean lastResortFirst;
    private final Supply supply;
    /** Machines to come that this pass has put pods on already. */
    private final Room opened = new Room();

    /** By pool: machines to come that are meant to stay idle; taken only when nothing else that was paid for will do. */
    private final Map<String, Room> spares = new HashMap<>();

    private final TreeMap<String, Purchase> purchases = new TreeMap<>();
    private final Map<String, Outcome> outcomes = new HashMap<>();
    private final Set<String> reserved = new HashSet<>();

    /**
     * @param blocked pods that nothing is planned for, and why
     * @param lastResortFirst whether a demand is offered the machines on their way of its least preferred pool first
     */
    Planning(Snapshot snapshot, Map<String, Unplaced> blocked, boolean lastResortFirst) {
        this.snapshot = snapshot;
        this.lastResortFirst = lastResortFirst;
        this.supply = Supply.of(snapshot);
        outcomes.putAll(blocked);
        snapshot.pools().values().forEach(pool -> purchases.put(pool.name(), new Purchase(pool)));
    }

    Plan run(List<Demand> demands, List<Withdrawal> withdrawals) {
        demands.forEach(this::useNodes);
        for (var pool : snapshot.pools().values()) {
            keepMinimum(pool);
            int missing = Math.max(0, pool.pool().spare() - idleNodes(pool));
            spares.put(pool.name(), supply.machinesOf(pool).setAside(missing));
        }
        demands.forEach(this::useMachines);
        snapshot.pools().values().forEach(this::keepSpare);
        var growths = purchases.values().stream()
                .map(Purchase::growth)
                .flatMap(Optional::stream)
                .toList();
        return new Plan(growths, withdrawals, outcomes, reserved);
    }

    private void useNodes(Demand demand) {
        var tier = Optional.<String>ofNullable(demand.shape().tier())
                .map(snapshot.catalogue().tiers()::get);
        take(
                demand,
                demand.pods().size(),
                demand.pods().iterator(),
                supply.nodes(),
                supply.nodes(),
                place -> Candidates.suits(demand.shape(), place.shape(), tier));
    }

    private void useMachines(Demand demand) {
        var rest = demand.pods().stream()
                .filter(pod -> !outcomes.containsKey(pod.uid()))
                .toList();
        var pods = rest.iterator();
        int left = rest.size();
        var candidates = Candidates.of(demand, snapshot);
        var names = candidates.fitting().stream().map(PoolView::name).toList();
        left -= take(demand, left, pods, opened, opened, place -> names.contains(place.pool()));
        var paidFor = new ArrayList<>(candidates.fitting());
        if (lastResortFirst) {
            Collections.reverse(paidFor);
        }
        for (var pool : paidFor) {
            left -= take(demand, left, pods, supply.machinesOf(pool), opened, place -> true);
        }
        for (var pool : paidFor) {
            left -= take(demand, left, pods, sparesOf(pool), opened, place -> true);
        }
        if (left == 0) {
            return;
        }
        int unserved = left;
        var why = candidates.none().orElseGet(() -> buy(demand, unserved, pods, candidates));
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
    private Unplaced buy(Demand demand, int unserved, Iterator<WaitingPod> pods, Candidates candidates) {
        var refusals = new ArrayList<Refusal>();
        int left = unserved;
        for (int place = 0; place < candidates.fitting().size(); place++) {
            var pool = candidates.fitting().get(place);
            var purchase = purchase(pool);
            var refusal = Explanations.passedOver(pool, purchase.room(), snapshot.now());
            if (refusal.isEmpty()) {
                candidates.misfitsBefore(place).forEach(purchase::insteadOf);
                refusals.forEach(purchase::insteadOf);
                left -= take(demand, left, pods, newMachines(demand, left, pool), opened, any -> true);
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

    /**
     * A pool that cannot be read, or whose last request failed in a way that leaves open whether it was accepted, may have machines coming:
     * the next one is not asked until patience is at its end.
     */
    private boolean mustWaitFor(PoolView pool) {
        if (pool.state().isPresent()) {
            return pool.ledger()
                    .backOff()
                    .filter(backOff -> backOff.active(snapshot.now()) && backOff.mayPassSoon())
                    .isPresent();
        }
        return pool.ledger()
                .unreadSince()
                .map(since -> snapshot.now().isBefore(PoolView.after(since, pool.patience())))
                .orElse(true);
    }

    /** First of all, so that machines that are bought anyway are there for whoever waits. */
    private void keepMinimum(PoolView pool) {
        var purchase = purchase(pool);
        int missing = pool.pool().min() - purchase.target();
        if (missing > 0 && mayBeAsked(pool)) {
            int bought = purchase.buy(missing, "its minimum of " + pool.pool().min());
            supply.machinesOf(pool).add(Place.machines(pool, Origin.NEW, bought));
        }
    }

    /** Last of all: idle is what nobody has taken. */
    private void keepSpare(PoolView pool) {
        int idle = idleNodes(pool)
                + supply.machinesOf(pool).size()
                + sparesOf(pool).size();
        if (idle < pool.pool().spare() && mayBeAsked(pool)) {
            purchase(pool)
                    .buy(
                            pool.pool().spare() - idle,
                            "%d spare".formatted(pool.pool().spare()));
        }
    }

    private boolean mayBeAsked(PoolView pool) {
        return Explanations.passedOver(pool, purchase(pool).room(), snapshot.now())
                .isEmpty();
    }

    private int idleNodes(PoolView pool) {
        return (int) snapshot.nodesOf(pool.name()).stream().filter(this::isIdle).count();
    }

    private Room sparesOf(PoolView pool) {
        return spares.computeIfAbsent(pool.name(), name -> new Room());
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
            case NEW -> new Outcome.Growing(place.pool(), caveat);
        };
    }

    private static Outcome unplaced(Demand demand, Unplaced why) {
        boolean nobodys = !demand.ours() && demand.shape().tier() == null;
        if (nobodys && why.reason() == Outcome.Reason.FITS_NO_POOL) {
            // Whoever asks for a GPU shall not wait unaware: the webhook may have been down, or have left the pod
            // alone.
            return demand.shape().gpus() == 0
                    ? new Outcome.NotOurs(why.message())
                    : new Unplaced(why.reason(), why.message());
        }
        return new Unplaced(why.reason(), why.message() + Explanations.caveat(demand.shape()));
    }
}
