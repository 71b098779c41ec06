package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.ledger.Exclusion;
import dev.trainyard.scaler.observe.PendingPod.Turn;
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
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One planning pass, which places all demands in a given order. Used once. */
final class PlanningPass {

    /**
     * The options of a pass.
     *
     * @param batches all demands, in the order in which they are placed
     * @param lastResortFirst whether provisioning machines are used in the reverse order of preference (the least preferred pool first)
     * @param alone whether pools that differ only in cost are ordered by the cost of all machines that the demand needs. If false, such
     *     pools are ordered by the cost of one pod's share of a machine
     */
    record Style(List<Batch> batches, boolean lastResortFirst, boolean alone) {}

    private final PlanningInput outlook;
    private final Style style;
    private final UndoLog journal = new UndoLog();
    private final Supply supply;
    private final List<PoolRequest> purchases;
    private final @Nullable Unplaced[] unplaced;
    private final int[] left;
    private final int[] minimum;
    private final Map<Long, Set<Refusal>> insteadOf = new HashMap<>();
    private final Optional<ConstrainedSeating> seating;
    private final Map<Integer, SortedSet<String>> unmodelled = new HashMap<>();
    /** The node groups whose idle nodes are kept for gangs without room. */
    private final Set<Integer> claimed = new HashSet<>();

    PlanningPass(PlanningInput outlook, Style style) {
        this.outlook = outlook;
        this.style = style;
        this.supply = new Supply(outlook, journal);
        this.purchases = outlook.pools().stream()
                .map(pool -> new PoolRequest(pool, journal))
                .toList();
        this.unplaced = new Unplaced[outlook.demands().size()];
        this.minimum = new int[purchases.size()];
        this.seating = outlook.seating();
        this.left = outlook.demands().stream().mapToInt(Demand::size).toArray();
    }

    /** Runs the pass and returns it. */
    PlanningPass run() {
        seating.ifPresent(ConstrainedSeating::reset);
        for (int pool = 0; pool < purchases.size(); pool++) {
            keepMinimum(pool);
            keepSpareAside(pool);
        }
        for (var batch : style.batches()) {
            if (batch.isGang()) {
                placeAllOrNone(batch);
            } else {
                place(batch.demands().get(0));
            }
        }
        new Downsizing(outlook, supply, purchases).run();
        seating.ifPresent(seats -> outlook.demands().stream()
                .filter(Demand::isRelated)
                .forEach(demand -> unmodelled.put(demand.index(), seats.unmodelled(demand))));
        return this;
    }

    Supply supply() {
        return supply;
    }

    PoolRequest purchase(int pool) {
        return purchases.get(pool);
    }

    /** Returns how many machines were requested for a pool's minimum. */
    int minimum(int pool) {
        return minimum[pool];
    }

    /** Returns why pods of the demand have no place. Must not be called if all pods of the demand have a place. */
    Unplaced why(Demand demand) {
        var why = unplaced[demand.index()];
        if (why == null) {
            throw new IllegalStateException("the plan has no reason for pending pods of this shape: " + demand.shape());
        }
        return why;
    }

    /** Returns why preferred pools were passed over when the demand got machines of this pool. */
    Set<Refusal> insteadOf(Demand demand, int pool) {
        return insteadOf.getOrDefault(key(demand, pool), Set.of());
    }

    /** Returns the constraints of a demand that the plan does not model, in brackets; usually empty. */
    String caveat(Demand demand) {
        return Explanations.caveat(demand.shape(), unmodelled.getOrDefault(demand.index(), new TreeSet<>()));
    }

    /** Whether all pods of the demand have a place. */
    boolean isPlaced(Demand demand) {
        return left[demand.index()] == 0;
    }

    long unplacedPods() {
        return IntStream.of(left).sum();
    }

    /**
     * Returns a negative number if this pass leaves fewer pods unplaced than the other pass, a positive number if it leaves more, and
     * otherwise 0. Only the highest priority at which the passes differ counts. Both passes must have the same input.
     */
    int compareUnplaced(PlanningPass other) {
        var more = new TreeMap<Integer, Long>(Comparator.reverseOrder());
        for (var demand : outlook.demands()) {
            more.merge(demand.priority(), (long) left[demand.index()] - other.left[demand.index()], Long::sum);
        }
        return more.values().stream()
                .filter(difference -> difference != 0)
                .findFirst()
                .map(Long::signum)
                .orElse(0);
    }

    /** Returns the cost of all new machines for an hour. */
    double cost() {
        double cost = 0;
        for (int pool = 0; pool < purchases.size(); pool++) {
            cost += purchases.get(pool).machines() * outlook.cost(pool);
        }
        return cost;
    }

    int machines() {
        return purchases.stream().mapToInt(PoolRequest::machines).sum();
    }

    private void placeAllOrNone(Batch gang) {
        journal.begin();
        for (var member : gang.demands()) {
            place(member);
            if (left[member.index()] > 0) {
                var why = Explanations.notWhole(gang, member, left[member.index()], why(member));
                journal.takeBack();
                int kept = keepIdleNodes(gang);
                gang.demands().forEach(each -> unplaced[each.index()] = Explanations.withKept(why, kept));
                return;
            }
        }
        journal.keep();
    }

    /**
     * Keeps idle nodes for a gang that starts whole and has no room yet, so that younger gangs do not use each node that becomes free. Only
     * the first such gang keeps nodes of a group, so that two gangs never wait for each other's nodes. Inter-pod constraints do not matter
     * yet: they are checked once all pods may have room.
     *
     * @return how many nodes are kept
     */
    private int keepIdleNodes(Batch gang) {
        if (gang.turn() != Turn.WAITS || !outlook.mayBecomeWhole(gang)) {
            return 0;
        }
        var idle = outlook.idleNodesFor(gang);
        int kept = 0;
        var used = new HashSet<Integer>();
        for (var member : gang.demands()) {
            int pods = member.size();
            for (int group : outlook.groupsFor(member)) {
                used.add(group);
                if (!claimed.contains(group) && pods > 0 && !idle.isEmpty()) {
                    var bins = supply.nodes(group);
                    int before = bins.untouched();
                    pods -= bins.takeUntouched(member, pods, idle);
                    kept += before - bins.untouched();
                }
            }
        }
        claimed.addAll(used);
        return kept;
    }

    private void place(Demand demand) {
        if (demand.isRelated()) {
            new Singly(demand, seating.orElseThrow()).place();
            return;
        }
        useNodes(demand);
        var candidates = outlook.candidates(demand);
        useMachines(demand, outlook.used(demand));
        if (left[demand.index()] > 0) {
            unplaced[demand.index()] = candidates.none().orElseGet(() -> buy(demand, candidates));
        }
    }

    private void useNodes(Demand demand) {
        for (int group : outlook.groupsFor(demand)) {
            take(demand, supply.nodes(group), supply.nodes(group), -1);
        }
    }

    private void useMachines(Demand demand, int[] pools) {
        for (int pool : pools) {
            take(demand, supply.opened(pool), supply.opened(pool), pool);
        }
        for (int i = 0; i < pools.length; i++) {
            int pool = pools[style.lastResortFirst() ? pools.length - 1 - i : i];
            take(demand, supply.untouched(pool), supply.opened(pool), pool);
        }
        for (int i = 0; i < pools.length; i++) {
            int pool = pools[style.lastResortFirst() ? pools.length - 1 - i : i];
            take(demand, supply.spare(pool), supply.opened(pool), pool);
        }
    }

    /** @param pool the pool of the machines; ignored for nodes */
    private void take(Demand demand, Bins from, Bins used, int pool) {
        int pods = left[demand.index()];
        if (pods > 0) {
            placed(
                    demand,
                    demand.isRelated()
                            ? from.seat(demand, pods, used, seating.orElseThrow(), pool)
                            : from.take(demand, pods, used));
        }
    }

    private void placed(Demand demand, int pods) {
        if (pods > 0) {
            left[demand.index()] -= pods;
            journal.changed(() -> left[demand.index()] += pods);
        }
    }

    /**
     * Requests machines for the unplaced pods, from one pool after the other.
     *
     * @return why pods are still unplaced; ignored if none are
     */
    private Unplaced buy(Demand demand, Candidates candidates) {
        var refusals = new ArrayList<Refusal>();
        var pools = inOrder(demand, candidates);
        for (int place = 0; place < pools.length; place++) {
            int number = pools[place];
            if (useDeferred(demand, number)) {
                break;
            }
            var pool = outlook.pool(number);
            int wanted = MachineCost.machines(demand, left[demand.index()], outlook.empty(number));
            var refusal = outlook.refusal(number)
                    .or(() -> outlook.aheadOfDeadline(demand, number))
                    .or(() -> excluded(demand, number));
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
            if (mustWaitFor(pool) || isUncertain(demand, number)) {
                break;
            }
        }
        return Explanations.all(refusals);
    }

    /**
     * Uses provisioning machines of a pool that the demand has left alone so far.
     *
     * @return whether all pods are placed now
     */
    private boolean useDeferred(Demand demand, int pool) {
        if (outlook.isDeferred(demand, pool)) {
            useMachines(demand, new int[] {pool});
        }
        return left[demand.index()] == 0;
    }

    private Optional<Refusal> excluded(Demand demand, int pool) {
        return outlook.exclusion(demand, pool).map(exclusion -> Explanations.excluded(outlook.pool(pool), exclusion));
    }

    /**
     * Whether the demand is excluded from the pool only provisionally. If so, no machine of the next pool is requested until it is known
     * whether this pool's machines help.
     */
    private boolean isUncertain(Demand demand, int pool) {
        return outlook.exclusion(demand, pool).filter(Exclusion::isProvisional).isPresent();
    }

    /** The placement of a demand with inter-pod constraints. Machines are requested one by one. */
    private final class Singly {

        private final Demand demand;
        private final ConstrainedSeating seats;
        private final Candidates candidates;
        /** How many machines were requested for the demand, by pool. */
        private final int[] bought = new int[purchases.size()];
        /** How many pods are planned onto these machines, by pool. */
        private final int[] seated = new int[purchases.size()];

        private Unplaced why = Explanations.all(List.of());

        Singly(Demand demand, ConstrainedSeating seats) {
            this.demand = demand;
            this.seats = seats;
            this.candidates = outlook.candidates(demand);
        }

        void place() {
            useWhatThereIs();
            while (left[demand.index()] > 0 && buyOne()) {
                if (demand.mayBeWelcomeLater()) {
                    useWhatThereIs();
                }
            }
            if (left[demand.index()] > 0) {
                unplaced[demand.index()] = candidates.none().orElse(why);
                noteWhatIsWanted();
            }
        }

        private void useWhatThereIs() {
            int before;
            do {
                before = left[demand.index()];
                useNodes(demand);
                useMachines(demand, outlook.used(demand));
            } while (demand.mayBeWelcomeLater() && left[demand.index()] > 0 && left[demand.index()] < before);
        }

        private boolean buyOne() {
            var refusals = new ArrayList<Refusal>();
            var pools = inOrder(demand, candidates);
            for (int place = 0; place < pools.length; place++) {
                int number = pools[place];
                if (useDeferred(demand, number)) {
                    return true;
                }
                var trial = trial(number);
                var refusal = outlook.refusal(number)
                        .or(() -> outlook.aheadOfDeadline(demand, number))
                        .or(() -> excluded(demand, number))
                        .or(() -> trial)
                        .or(() -> refusal(number));
                if (refusal.isEmpty()) {
                    note(number, candidates.misfitsBefore(place), refusals);
                    buy(number);
                    return true;
                }
                refusals.add(refusal.get());
                if (mustWaitFor(outlook.pool(number)) || isUncertain(demand, number) || trial.isPresent()) {
                    break;
                }
            }
            why = Explanations.all(refusals);
            return false;
        }

        /**
         * Returns why no more machines of a pool are requested until the first machine shows whether it has a label that the pods need.
         * Empty for a gang, since a gang gets all of its machines or none.
         */
        private Optional<Refusal> trial(int pool) {
            return seats.guessed(demand, pool)
                    .filter(label -> !isGang() && isAnyToCome(pool))
                    .map(label -> Explanations.onTrial(outlook.pool(pool), label));
        }

        private boolean isGang() {
            return demand.gang() != null;
        }

        private boolean isAnyToCome(int pool) {
            return purchases.get(pool).machines() > 0
                    || outlook.stock().upcoming(pool).stream().anyMatch(bin -> bin.count > 0)
                    || outlook.nodesOf(pool).stream().anyMatch(node -> node.usable() && !node.terminating());
        }

        private Optional<Refusal> refusal(int pool) {
            int mark = seats.mark();
            var misfit = seats.check(demand, seats.newMachine(pool));
            seats.undo(mark);
            if (misfit.isPresent()) {
                return Optional.of(Explanations.unwelcome(outlook.pool(pool), misfit.get()));
            }
            return purchases.get(pool).room() > 0
                    ? Optional.empty()
                    : Optional.of(
                            Explanations.atMaximum(outlook.pool(pool), bought[pool] + lacking(pool), bought[pool]));
        }

        /** Estimates how many more machines the unplaced pods need. */
        private int lacking(int pool) {
            int each = bought[pool] == 0 ? 1 : Math.max(1, seated[pool] / bought[pool]);
            return (left[demand.index()] + each - 1) / each;
        }

        private void note(int pool, List<Refusal> misfits, List<Refusal> refusals) {
            var reasons = insteadOf.computeIfAbsent(key(demand, pool), key -> new HashSet<>());
            reasons.addAll(misfits);
            reasons.addAll(refusals);
        }

        private void buy(int pool) {
            purchases.get(pool).buy(1);
            bought[pool]++;
            int pods = supply.opened(pool).seatOnNew(outlook.empty(pool), demand, left[demand.index()], seats, pool);
            seated[pool] += pods;
            placed(demand, pods);
        }

        /** Records how many more machines this demand needs. The record is kept at the first pool that this demand has filled up. */
        private void noteWhatIsWanted() {
            for (int pool : candidates.fitting()) {
                if (purchases.get(pool).room() == 0 && bought[pool] > 0) {
                    purchases.get(pool).buy(lacking(pool));
                    return;
                }
            }
        }
    }

    private int[] inOrder(Demand demand, Candidates candidates) {
        if (!candidates.mayChoose()) {
            return candidates.fitting();
        }
        var together = outlook.onOneHost(demand);
        if (together.isPresent()) {
            return candidates.sortedWithinRanks(largeEnough(together.get()));
        }
        return style.alone()
                ? candidates.sortedWithinRanks(leastCost(demand, left[demand.index()]))
                : candidates.fitting();
    }

    private Comparator<Integer> leastCost(Demand demand, int pods) {
        return Comparator.<Integer>comparingDouble(pool -> MachineCost.alone(demand, pods, pool, outlook))
                .thenComparingLong(
                        pool -> outlook.pool(pool).template().allocatable().gpus()
                                * MachineCost.machines(demand, pods, outlook.empty(pool)));
    }

    /**
     * Returns an order of pools. The first pool has the cheapest machine that holds these resources. If no machine holds them, the first
     * pool has the largest machine.
     */
    private Comparator<Integer> largeEnough(long[] together) {
        return Comparator.<Integer>comparingDouble(pool -> Math.max(1, machinesFor(together, outlook.empty(pool))))
                .thenComparingDouble(outlook::cost);
    }

    /** Returns how many machines the resources would fill; infinite if the machine lacks one of the resources. */
    private static double machinesFor(long[] together, long[] empty) {
        for (int i = 0; i < together.length; i++) {
            if (together[i] > 0 && empty[i] == 0) {
                return Double.POSITIVE_INFINITY;
            }
        }
        return ResourceIndex.dominantShare(together, empty);
    }

    private static long key(Demand demand, int pool) {
        return ((long) demand.index() << Integer.SIZE) | pool;
    }

    /**
     * Whether the next pool must wait for this pool. Either this pool cannot be read and may still deliver requested machines, or its last
     * request failed for a cause that usually ends by itself. Until the pool's answer is known or a timeout has passed, no machine of the
     * next pool is requested.
     */
    private boolean mustWaitFor(PoolView pool) {
        var now = outlook.snapshot().now();
        if (pool.state().isPresent()) {
            return pool.ledger()
                    .backOff()
                    .filter(backOff -> backOff.active(now) && backOff.mayPassSoon())
                    .isPresent();
        }
        return pool.mayDeliver(now);
    }

    /** Requests the machines that a pool lacks to reach its minimum. Runs first, so that pending pods can use these machines. */
    private void keepMinimum(int number) {
        var pool = outlook.pool(number);
        int missing = pool.pool().min() - purchases.get(number).target() + outlook.leavingMachines(number);
        if (missing > 0 && outlook.refusal(number).isEmpty()) {
            minimum[number] = purchases.get(number).buy(missing);
            supply.untouched(number).add(Bin.machines(Origin.MINIMUM, minimum[number], outlook.empty(number)));
        }
    }

    /**
     * Sets provisioning machines aside as spare ones, up to the pool's spare number. Idle nodes do not reduce this number, since pods use
     * idle nodes before provisioning machines. If idle nodes reduced the number, pods would use the spare machines that were requested to
     * replace idle nodes, and the next round would request spare machines again.
     */
    private void keepSpareAside(int number) {
        supply.untouched(number).setAside(outlook.pool(number).pool().spare(), supply.spare(number));
    }
}
