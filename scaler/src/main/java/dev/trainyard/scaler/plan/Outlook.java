package dev.trainyard.scaler.plan;

import dev.trainyard.core.catalogue.PlacementPolicy;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.scaler.ledger.Exclusion;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.WaitingPod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot as planning looks at it: demand folded, nodes grouped, amounts packed, and who may run where judged once for all passes over it.
 * Never changes, but for judgements that it remembers. Not thread-safe.
 */
final class Outlook {

    private final Snapshot snapshot;
    private final PlacementPolicy policy;
    private final Axes axes;
    private final List<Demand> demands;
    private final List<PoolView> pools;
    private final Map<String, Integer> poolNumbers = new HashMap<>();
    private final Map<String, List<NodeView>> nodesOf = new HashMap<>();
    private final List<NodeGroup> groups;
    private final List<Optional<Refusal>> refusals;
    private final List<long[]> empty = new ArrayList<>();
    /** By manner. */
    private final Map<Integer, int[]> groupsFor = new HashMap<>();

    /** By demand and pool. */
    private final Map<Long, String> templates = new HashMap<>();

    private final Map<Integer, boolean[]> poolsFor = new HashMap<>();
    private final @Nullable Candidates[] candidates;
    private final Stock stock;
    private final Optional<Seating> seating;

    /** @param plannable the pods that something is to be planned for */
    Outlook(Snapshot snapshot, List<WaitingPod> plannable) {
        this.snapshot = snapshot;
        this.policy = snapshot.catalogue().policy();
        var folding = Folding.of(plannable, snapshot.neighbours(), snapshot.now());
        this.axes = folding.axes();
        this.demands = folding.demands();
        this.pools = List.copyOf(snapshot.pools().values());
        this.groups = NodeGroup.of(
                snapshot.nodes(), demands.stream().map(Demand::shape).toList());
        this.candidates = new Candidates[demands.size()];
        this.refusals = pools.stream()
                .map(pool -> Explanations.passedOver(pool, snapshot.now()))
                .toList();
        for (var pool : pools) {
            poolNumbers.put(pool.name(), poolNumbers.size());
            empty.add(axes.pack(pool.template().allocatable()));
        }
        for (var node : snapshot.nodes()) {
            node.pool()
                    .filter(pool -> !node.foreign())
                    .ifPresent(pool -> nodesOf.computeIfAbsent(pool.name(), name -> new ArrayList<>())
                            .add(node));
        }
        this.stock = new Stock(this);
        this.seating = demands.stream().anyMatch(Demand::isRelated) ? Optional.of(new Seating(this)) : Optional.empty();
    }

    Snapshot snapshot() {
        return snapshot;
    }

    Axes axes() {
        return axes;
    }

    List<Demand> demands() {
        return demands;
    }

    List<Batch> batches() {
        return Batch.of(demands, this::share, demand -> candidates(demand).fitting().length);
    }

    /** What share of a machine of the pool that would be asked first a pod takes. */
    private double share(Demand demand) {
        var pools = candidates(demand).fitting();
        return pools.length == 0 ? 0 : Axes.dominantShare(demand.request(), empty.get(pools[0]));
    }

    /** By name. Elsewhere pools go by their number in this list. */
    List<PoolView> pools() {
        return pools;
    }

    PoolView pool(int number) {
        return pools.get(number);
    }

    List<NodeView> nodesOf(int pool) {
        return nodesOf.getOrDefault(pools.get(pool).name(), List.of());
    }

    List<NodeGroup> groups() {
        return groups;
    }

    /** What a new machine of a pool has. */
    long[] empty(int pool) {
        return empty.get(pool);
    }

    /** What there is before anything is bought. */
    Stock stock() {
        return stock;
    }

    /** Of pods that other pods have a say in; empty when there are none that wait. */
    Optional<Seating> seating() {
        return seating;
    }

    /** Why a pool is not asked for anything; empty when it may be, if only it has room. */
    Optional<Refusal> refusal(int pool) {
        return refusals.get(pool);
    }

    /** Why no machine of a pool is requested for the demand, though others may have one. */
    Optional<Exclusion> exclusion(Demand demand, int pool) {
        var nodes = pools.get(pool).ledger().nodes();
        return nodes.exclusions().isEmpty()
                ? Optional.empty()
                : nodes.exclusion(template(demand, pool), snapshot.now());
    }

    /** The digest by which a pool remembers pods like those of the demand. */
    String template(Demand demand, int pool) {
        return templates.computeIfAbsent(
                ((long) demand.index() << Integer.SIZE) | pool,
                any -> Template.digest(
                        demand.shape(),
                        demand.relations(),
                        pools.get(pool).pool().promise()));
    }

    /** Groups of nodes on which the demand may run, in the order in which they are to be used: its tier's order of pools. */
    int[] groupsFor(Demand demand) {
        return groupsFor.computeIfAbsent(demand.manner(), manner -> {
            var order = tierOrder(demand);
            return IntStream.range(0, groups.size())
                    .filter(i ->
                            Fit.checkPlacement(demand.shape(), groups.get(i).likeness())
                                            .isEmpty()
                                    && access(demand, groups.get(i)).isPossible())
                    .boxed()
                    .sorted(Comparator.<Integer, Boolean>comparing(
                                    i -> groups.get(i).revocable())
                            .thenComparing(i -> access(demand, groups.get(i)))
                            .thenComparing(i -> {
                                int place = groups.get(i)
                                        .pool()
                                        .map(pool -> order.indexOf(pool.name()))
                                        .orElse(-1);
                                return place < 0 ? order.size() : place;
                            }))
                    .mapToInt(i -> i)
                    .toArray();
        });
    }

    /** Whether pods like the demand's may run on machines of a pool, room aside. */
    boolean mayUse(Demand demand, int pool) {
        var judged = poolsFor.computeIfAbsent(demand.manner(), manner -> {
            var verdicts = new boolean[pools.size()];
            for (int i = 0; i < verdicts.length; i++) {
                var view = pools.get(i);
                // No GPU machine is launched for a pod that may use GPU nodes as a last resort only.
                verdicts[i] = Fit.checkPlacement(demand.shape(), view.template())
                                .isEmpty()
                        && policy.access(demand.shape(), Optional.of(view.pool()), view.template()) == Access.ALLOWED;
            }
            return verdicts;
        });
        return judged[pool];
    }

    /** Whether a machine of the pool could be launched for the demand if it had all that the pool promises, whatever its nodes are like. */
    boolean isPromised(Demand demand, int number) {
        var pool = pools.get(number).pool();
        var promise = pool.newNode();
        return demand.tier()
                        .filter(tier -> !snapshot.catalogue().tiers().containsKey(tier))
                        .isEmpty()
                && Fit.checkEmpty(demand.shape(), promise).isEmpty()
                && policy.access(demand.shape(), Optional.of(pool), promise) == Access.ALLOWED;
    }

    Candidates candidates(Demand demand) {
        var known = candidates[demand.index()];
        if (known == null) {
            known = Candidates.of(demand, this);
            candidates[demand.index()] = known;
        }
        return known;
    }

    /** The number of a pool; null when it is not known. */
    @Nullable
    Integer number(String pool) {
        return poolNumbers.get(pool);
    }

    /** Empty when it has no tier, or one that does not exist. */
    List<String> tierOrder(Demand demand) {
        return demand.tier()
                .flatMap(
                        name -> Optional.ofNullable(snapshot.catalogue().tiers().get(name)))
                .map(tier -> tier.pools().stream().map(pool -> pool.name()).toList())
                .orElse(List.of());
    }

    private Access access(Demand demand, NodeGroup group) {
        return policy.access(demand.shape(), group.pool(), group.likeness());
    }
}
