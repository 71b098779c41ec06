package dev.trainyard.scaler.plan;

import dev.trainyard.core.catalogue.PlacementPolicy;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.fit.PodTopology;
import dev.trainyard.core.pod.PodTerm;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.scaler.ledger.Exclusion;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.ProgressPolicy.Choice;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that is prepared for planning. Equal pods are merged into demands, similar nodes are merged into groups, and amounts of
 * resources are packed into arrays. Results of placement checks are cached for all passes. Immutable except for these caches and {@link
 * #seating}. Not thread-safe.
 */
final class PlanningInput {

    private final Snapshot snapshot;
    private final Set<String> leaving;
    private final PlacementPolicy policy;
    private final ResourceIndex axes;
    private final List<Demand> demands;
    private final List<PoolView> pools;
    private final Map<String, Integer> poolNumbers = new HashMap<>();
    private final Map<String, List<NodeView>> nodesOf = new HashMap<>();
    private final List<NodeGroup> groups;
    private final List<Optional<Refusal>> refusals;
    private final List<long[]> empty = new ArrayList<>();
    private final double[] costs;
    /** The resources of all pods that must run on the same host, by the affinity term that requires this. */
    private final Map<PodTerm, long[]> onOneHost = new HashMap<>();

    /** Numbers of the node groups that a demand may run on, by {@link Demand#manner}. */
    private final Map<Integer, int[]> groupsFor = new HashMap<>();

    /** Digests that {@link #template} returns, by demand and pool. */
    private final Map<Long, String> templates = new HashMap<>();

    private final Map<Integer, boolean[]> poolsFor = new HashMap<>();
    private final @Nullable Candidates[] candidates;
    /** The candidates of demands that differ only in what does not matter for them, such as many gangs of one kind. */
    private final Map<Alike, Candidates> shared = new HashMap<>();

    private record Alike(int manner, int amounts, Choice choice) {}

    private final InitialSupply stock;
    private final Optional<ConstrainedSeating> seating;

    /** @param plannable the pods to plan for */
    PlanningInput(Snapshot snapshot, List<PendingPod> plannable) {
        this.snapshot = snapshot;
        this.leaving = Stream.concat(
                        snapshot.leaving().stream(),
                        snapshot.returning().stream().flatMap(move -> move.pods().stream()))
                .map(PendingPod::uid)
                .collect(Collectors.toSet());
        this.policy = snapshot.catalogue().policy();
        var folding = Folding.of(plannable, snapshot.neighbours(), snapshot.deadlines(), snapshot.now());
        this.axes = folding.axes();
        this.demands = folding.demands();
        this.pools = List.copyOf(snapshot.pools().values());
        this.groups = NodeGroup.of(
                snapshot.nodes(), demands.stream().map(Demand::shape).toList());
        for (var demand : demands) {
            ownHostTerms(demand)
                    .forEach(term -> ResourceIndex.add(
                            onOneHost.computeIfAbsent(term, any -> new long[axes.size()]),
                            demand.request(),
                            demand.size()));
        }
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
        this.costs = pools.stream()
                .mapToDouble(pool -> MachineCost.of(pool, snapshot.now()))
                .toArray();
        this.stock = new InitialSupply(this);
        this.seating = demands.stream().anyMatch(Demand::isRelated)
                ? Optional.of(new ConstrainedSeating(this))
                : Optional.empty();
    }

    Snapshot snapshot() {
        return snapshot;
    }

    ResourceIndex axes() {
        return axes;
    }

    List<Demand> demands() {
        return demands;
    }

    /** Returns the demands as batches, the hardest first. */
    List<Batch> batches() {
        return Batch.of(demands, this::share, demand -> candidates(demand).fitting().length).stream()
                .sorted(Batch.hardestFirst())
                .toList();
    }

    /** Returns the share of a machine that a pod of the demand takes in its preferred pool. */
    private double share(Demand demand) {
        var pools = candidates(demand).fitting();
        return pools.length == 0 ? 0 : ResourceIndex.dominantShare(demand.request(), empty.get(pools[0]));
    }

    /** Returns all pools, sorted by name. Other methods identify a pool by its number in this list. */
    List<PoolView> pools() {
        return pools;
    }

    PoolView pool(int number) {
        return pools.get(number);
    }

    List<NodeView> nodesOf(int pool) {
        return nodesOf.getOrDefault(pools.get(pool).name(), List.of());
    }

    /** Returns how many machines in a pool's target leave: the cloud has announced their reclaim, or they are broken and replaced. */
    int leavingMachines(int pool) {
        return (int) nodesOf(pool).stream()
                .filter(node -> node.leaveNotice().isPresent() && !node.terminating())
                .filter(node ->
                        pool(pool).machineOf(node).filter(Machine::counts).isPresent())
                .count();
    }

    /** Returns the UIDs of the pods that are on machines and are planned for as if they were pending. */
    Set<String> leaving() {
        return leaving;
    }

    /** Whether the pod is on a machine, and is planned for as if it were pending. */
    boolean isLeaving(String uid) {
        return leaving.contains(uid);
    }

    List<NodeGroup> groups() {
        return groups;
    }

    /** Returns the packed allocatable resources of a new machine of a pool. */
    long[] empty(int pool) {
        return empty.get(pool);
    }

    /** Returns the expected cost of a useful hour of one machine of a pool; see {@link MachineCost}. */
    double cost(int pool) {
        return costs[pool];
    }

    /** Returns the supply that exists before this plan requests any machine. */
    InitialSupply stock() {
        return stock;
    }

    /** Returns the placement of pods with inter-pod constraints; empty if no such pod is pending. */
    Optional<ConstrainedSeating> seating() {
        return seating;
    }

    /**
     * Returns the resources of all pending pods that must run on the same host as the pods of the demand. Empty if no affinity of the
     * pods requires that they run on one host with each other.
     */
    Optional<long[]> onOneHost(Demand demand) {
        return ownHostTerms(demand).findFirst().map(onOneHost::get);
    }

    private static Stream<PodTerm> ownHostTerms(Demand demand) {
        return demand.relations().affinity().stream()
                .filter(term -> term.topologyKey().equals(PodTopology.HOSTNAME)
                        && term.pods().contains(demand.relations()));
    }

    /** Whether the pools that a gang may use could hold all its pods if nothing else ran there. Demands with other pools count apart. */
    boolean mayBecomeWhole(Batch gang) {
        var needed = new HashMap<Set<Integer>, Double>();
        for (var demand : gang.demands()) {
            int[] fitting = candidates(demand).fitting();
            double most = IntStream.of(fitting)
                    .mapToDouble(
                            pool -> (double) pool(pool).most() * ResourceIndex.times(empty(pool), demand.request()))
                    .sum();
            needed.merge(
                    IntStream.of(fitting).boxed().collect(Collectors.toSet()),
                    most == 0 ? Double.POSITIVE_INFINITY : demand.size() / most,
                    Double::sum);
        }
        return needed.values().stream().allMatch(share -> share <= 1);
    }

    /** Returns the names of the idle nodes that may be kept for a gang without room; see {@link Gangs#keptUntil}. */
    Set<String> idleNodesFor(Batch gang) {
        var now = snapshot.now();
        var complete = gang.demands().stream()
                .flatMap(demand -> demand.pods().stream())
                .map(PendingPod::since)
                .max(Comparator.naturalOrder())
                .orElse(now);
        return snapshot.nodes().stream()
                .filter(node -> node.isFree()
                        && now.isBefore(Gangs.keptUntil(node.idleSince().orElse(node.created()), complete)))
                .map(NodeView::name)
                .collect(Collectors.toSet());
    }

    /** Returns why no machines of a pool are requested; empty if machines may be requested up to the pool's maximum. */
    Optional<Refusal> refusal(int pool) {
        return refusals.get(pool);
    }

    /**
     * Returns the pools whose provisioning machines the demand uses before machines are requested for it. A demand that waits for spot
     * machines leaves the others alone. A demand that needs on-demand machines uses spot machines only if it gets no others.
     */
    int[] used(Demand demand) {
        int[] fitting = candidates(demand).fitting();
        if (demand.choice() == Choice.ANY_POOL) {
            return fitting;
        }
        boolean waits = waitsForSpot(demand);
        return IntStream.of(fitting)
                .filter(pool -> waits ? pool(pool).pool().isSpot() : !isDeferred(demand, pool))
                .toArray();
    }

    /** Whether other pools are asked first, because a reclaim would cost the deadline of the pods. */
    boolean isDeferred(Demand demand, int pool) {
        return demand.choice() == Choice.ON_DEMAND_FIRST && pool(pool).pool().isSpot();
    }

    /** Returns why no machines of an on-demand pool are requested for a demand that can wait for spot machines; empty if they may be. */
    Optional<Refusal> aheadOfDeadline(Demand demand, int pool) {
        return waitsForSpot(demand) && !pool(pool).pool().isSpot()
                ? gangOf(demand)
                        .flatMap(other -> other.pods().stream())
                        .flatMap(pod -> snapshot.deadlines().of(pod.uid()).stream())
                        .flatMap(policy -> policy.waitsUntil(snapshot.now()).stream())
                        .min(Comparator.naturalOrder())
                        .map(until -> Explanations.aheadOfDeadline(pool(pool), until))
                : Optional.empty();
    }

    /** Returns the demands of the demand's gang; only the demand itself if it has no gang. */
    private Stream<Demand> gangOf(Demand demand) {
        var gang = demand.gang();
        return gang == null
                ? Stream.of(demand)
                : demands.stream()
                        .filter(other -> other.gang() != null
                                && gang.key().equals(other.gang().key()));
    }

    /** Whether the pods get spot machines only. They do not wait if no spot pool may ever give them a machine. */
    private boolean waitsForSpot(Demand demand) {
        return demand.choice() == Choice.SPOT_ONLY
                && IntStream.of(candidates(demand).fitting())
                        .anyMatch(
                                pool -> pool(pool).pool().isSpot() && pool(pool).most() > 0);
    }

    /** Returns the exclusion of the demand's pods from the pool (see {@link Exclusions}); empty if there is none. */
    Optional<Exclusion> exclusion(Demand demand, int pool) {
        var nodes = pools.get(pool).ledger().nodes();
        return nodes.exclusions().isEmpty()
                ? Optional.empty()
                : nodes.exclusion(template(demand, pool), snapshot.now());
    }

    /** Returns the digest under which a pool's ledger stores pods like those of the demand. */
    String template(Demand demand, int pool) {
        return templates.computeIfAbsent(
                ((long) demand.index() << Integer.SIZE) | pool,
                any -> Template.digest(
                        demand.shape(),
                        demand.relations(),
                        pools.get(pool).pool().promise()));
    }

    /**
     * Returns the numbers of the node groups that the demand may run on, in the tier's order of pools. Groups that the demand may use only
     * as a last resort come later. Nodes that are being removed come last.
     */
    int[] groupsFor(Demand demand) {
        return groupsFor.computeIfAbsent(demand.manner(), manner -> {
            var tier = tier(demand);
            return IntStream.range(0, groups.size())
                    .filter(i ->
                            Fit.checkPlacement(demand.shape(), groups.get(i).likeness())
                                            .isEmpty()
                                    && access(demand, groups.get(i)).isPossible())
                    .boxed()
                    .sorted(Comparator.<Integer, Boolean>comparing(
                                    i -> groups.get(i).revocable())
                            .thenComparing(i -> access(demand, groups.get(i)))
                            .thenComparing(i -> tier.flatMap(
                                            of -> groups.get(i).pool().map(pool -> of.rank(pool.name())))
                                    .orElse(Integer.MAX_VALUE)))
                    .mapToInt(i -> i)
                    .toArray();
        });
    }

    /** Whether pods of the demand may run on machines of a pool if the free resources suffice. */
    boolean mayUse(Demand demand, int pool) {
        var judged = poolsFor.computeIfAbsent(demand.manner(), manner -> {
            var verdicts = new boolean[pools.size()];
            for (int i = 0; i < verdicts.length; i++) {
                var view = pools.get(i);
                // A pod that may use GPU nodes only as a last resort gets no new GPU machine.
                verdicts[i] = Fit.checkPlacement(demand.shape(), view.template())
                                .isEmpty()
                        && policy.access(demand.shape(), Optional.of(view.pool()), view.template()) == Access.ALLOWED;
            }
            return verdicts;
        });
        return judged[pool];
    }

    /**
     * Whether a new machine could run pods of the demand if the machine had exactly what the pool promises. The pool's existing nodes are
     * ignored.
     */
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
            var gang = demand.gang();
            known = gang != null && gang.isUnread()
                    ? Candidates.of(demand, this)
                    : shared.computeIfAbsent(
                            new Alike(demand.manner(), demand.amounts(), demand.choice()),
                            alike -> Candidates.of(demand, this));
            candidates[demand.index()] = known;
        }
        return known;
    }

    /** Returns the number of a pool; null if the pool is unknown. */
    @Nullable
    Integer number(String pool) {
        return poolNumbers.get(pool);
    }

    private Optional<Tier> tier(Demand demand) {
        return demand.tier()
                .flatMap(
                        name -> Optional.ofNullable(snapshot.catalogue().tiers().get(name)));
    }

    private Access access(Demand demand, NodeGroup group) {
        return policy.access(demand.shape(), group.pool(), group.likeness());
    }
}
