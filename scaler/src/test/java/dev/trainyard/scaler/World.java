package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.fit.Misfit;
import dev.trainyard.core.fit.Neighbourhood;
import dev.trainyard.core.fit.Site;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.RelationsReader;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.emulator.EmulatedMachine;
import dev.trainyard.runtime.kubernetes.EventRecorder;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.ReadingLimit;
import dev.trainyard.scaler.page.Board;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.CloudProvider;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** A cluster, a cloud, a scheduler and a scaler, in time that the test moves. */
public final class World {

    public static final Duration BOOT = Duration.ofSeconds(30);

    /** The process dies here. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    public final MovedClock clock;
    public final FakeCluster cluster = new FakeCluster();
    /** For pools of kwok's. */
    public final FakeCloud cloud;
    /** What the extender says. */
    public final Reports reports;

    public final List<String> events = new ArrayList<>();
    public final List<String> notices = new ArrayList<>();
    private boolean dryRun;
    public final MeterRegistry meters = new SimpleMeterRegistry();
    private final ScalerMetrics metrics = new ScalerMetrics(meters);
    /** Whether the scaler's Lease cannot be another's yet. */
    public boolean leads = true;
    /** If it may be another's: how often somebody looks until it is renewed. */
    public int looksUntilRenewed = Integer.MAX_VALUE;
    /** Rounds that ended early because it may be. */
    public int cutOff;
    /** Machines join and their drivers never come up. */
    public boolean neverUsable;
    /** What is different from the promise on nodes of kwok's pools. */
    public UnaryOperator<Node> asJoined = UnaryOperator.identity();
    /** Pods that the scheduler leaves waiting, for a reason that nobody knows. */
    public Predicate<Pod> neverPlaced = pod -> false;
    /** Machines whose nodes do not join again. */
    public final Set<String> neverRejoin = new HashSet<>();
    /** Machines run and no node comes of it. */
    public boolean machinesNeverJoin;

    /** Nodes of other machines that joined and whose machines there are. */
    private final Set<String> joined = new HashSet<>();

    private final Map<String, Objects.PoolBuilder> pools = new TreeMap<>();
    private final Supplier<Map<String, CloudProvider>> others;
    private final Supplier<List<EmulatedMachine>> otherMachines;
    private final Map<String, String> poolsOfGroups = new HashMap<>();
    private final Set<String> imported = new HashSet<>();
    private ReadingLimit readingLimit = ReadingLimit.NONE;
    private Round round;

    public World() {
        this(new MovedClock(), Map::of);
    }

    /**
     * With clouds besides the simulated one, in the same time.
     *
     * @param others as a new process has them, by the member of {@code spec.provider} that they are for
     */
    public World(MovedClock clock, Supplier<Map<String, CloudProvider>> others) {
        this(clock, others, List::of);
    }

    /** @param otherMachines those of other clouds that have booted; their nodes join at once, and go with them */
    public World(
            MovedClock clock,
            Supplier<Map<String, CloudProvider>> others,
            Supplier<List<EmulatedMachine>> otherMachines) {
        this.clock = clock;
        this.others = others;
        this.otherMachines = otherMachines;
        cloud = new FakeCloud(clock, BOOT);
        reports = new Reports(() -> {}, clock);
        cluster.evictions.now = clock::instant;
        round = scaler();
    }

    public World pool(String name, Objects.PoolBuilder pool) {
        pools.put(name, pool);
        cluster.pool(name, pool.spec());
        return this;
    }

    /** A pool of another cloud, whose machines are of {@code group}. */
    public World pool(String name, Objects.PoolBuilder pool, ProviderSpec provider, String group) {
        cluster.pool(name, pool.spec(provider));
        poolsOfGroups.put(group, name);
        return this;
    }

    /** The same, with all that its specification says; its nodes have what the pool promises, and nothing of Trainyard's. */
    public World imported(String name, TrainingPoolSpec spec, String group) {
        cluster.pool(name, spec);
        poolsOfGroups.put(group, name);
        imported.add(name);
        return this;
    }

    public World tier(String name, String... poolNames) {
        cluster.tier(name, Objects.tier(poolNames));
        return this;
    }

    public World waiting(int count, String prefix, String tier, String... requests) {
        for (int i = 1; i <= count; i++) {
            cluster.add(Objects.waiting(prefix + "-" + i, tier, requests));
        }
        return this;
    }

    /** A new process, which reads pods within a limit. */
    public void restartWith(ReadingLimit limit) {
        readingLimit = limit;
        restart();
    }

    /** A new process, which knows nothing. */
    public void restart() {
        round = scaler();
    }

    private Round scaler() {
        return new Round(
                dryRun ? new DryCluster(cluster) : new FencedCluster(cluster, this::looksWhetherItLeads),
                clouds(),
                Names.NAMESPACE,
                readingLimit,
                dryRun ? Voice.dry() : new Voice(this::tell, this::notice, reports::reasons, false),
                metrics,
                Planner.DEFAULT_PRIORITY_CUTOFF);
    }

    private void tell(HasMetadata about, EventRecorder.Type type, String reason, String action, String message) {
        events.add(about.getMetadata().getName() + " " + reason + ": " + message);
    }

    private void notice(String what, Collection<String> pods) {
        notices.add(pods.isEmpty() ? what : what + " " + Notices.list(pods));
    }

    /** From now on the scaler, a new process, only looks. */
    public void onlyLook() {
        dryRun = true;
        restart();
    }

    private boolean looksWhetherItLeads() {
        return leads || --looksUntilRenewed < 0;
    }

    /** Calls are made and answered at once, in virtual time. */
    private Clouds clouds() {
        var providers = new TreeMap<>(others.get());
        providers.put("kwok", cloud);
        providers.replaceAll((name, provider) ->
                dryRun ? new DryCloud(provider) : new FencedCloud(provider, this::looksWhetherItLeads));
        return new Clouds(
                providers,
                metrics,
                (provider, call) -> call.run(),
                Clouds.Timing.USUAL,
                clock,
                () -> Duration.between(Objects.NOON, clock.instant()).toNanos(),
                time -> {},
                () -> {});
    }

    /** The scaler makes a round. */
    public Round.Result round() {
        return round.run(clock::instant);
    }

    /** The scaler makes a round and shows what it found. */
    public void show(Board board) {
        var found = round();
        board.observed(found.snapshot(), found.plan(), found.verdicts());
    }

    /** How long the next round is put off at most, after so many that failed in a row. */
    public static Duration pauseAfter(int failures) {
        return Pace.pause(failures, 1);
    }

    /** A second passes: machines join, the scheduler places what fits, the scaler makes a round. */
    public void second() {
        clock.move(Duration.ofSeconds(1));
        cluster.evictions.pass();
        machinesJoin();
        schedule();
        try {
            round();
        } catch (NotLeading e) {
            cutOff++;
        }
    }

    public void seconds(int number) {
        for (int i = 0; i < number; i++) {
            second();
        }
    }

    public void machinesJoin() {
        pools.forEach((pool, builder) -> cloud.machines(pool).keySet().forEach(machine -> {
            if (!machinesNeverJoin && !neverRejoin.contains(machine) && cloud.running(pool, machine)) {
                cluster.nodes.computeIfAbsent(machine, name -> {
                    var node = Objects.unlabelled(Objects.node(name, pool, builder.spec()));
                    node.getMetadata().setCreationTimestamp(clock.instant().toString());
                    if (neverUsable) {
                        node.getStatus().getAllocatable().remove("nvidia.com/gpu");
                    }
                    return asJoined.apply(node);
                });
            }
        }));
        otherMachinesJoinAndLeave();
    }

    private void otherMachinesJoinAndLeave() {
        var there = new HashSet<String>();
        for (var machine : otherMachines.get()) {
            there.add(machine.name());
            var pool = poolsOfGroups.get(machine.group());
            if (joined.add(machine.name())) {
                var spec = cluster.pools.get(pool).getSpec();
                var node = imported.contains(pool)
                        ? Objects.node(
                                machine.name(),
                                cluster.view().catalogue().pools().get(pool))
                        : Objects.unlabelled(Objects.node(machine.name(), pool, spec));
                node.getMetadata().setCreationTimestamp(clock.instant().toString());
                node.getSpec().setProviderID(machine.providerId());
                cluster.nodes.put(machine.name(), node);
            }
        }
        for (var name : List.copyOf(joined)) {
            if (!there.contains(name)) {
                joined.remove(name);
                cluster.nodes.remove(name);
                cluster.pods.replaceAll((pod, before) -> restarted(before, name));
            }
        }
    }

    /** A Job makes a pod anew whose node is gone. */
    private static Pod restarted(Pod pod, String node) {
        boolean lost = node.equals(pod.getSpec().getNodeName())
                && pod.getStatus().getPhase().equals("Running");
        return lost
                ? new PodBuilder(pod)
                        .editSpec()
                        .withNodeName(null)
                        .endSpec()
                        .editStatus()
                        .withPhase("Pending")
                        .endStatus()
                        .build()
                : pod;
    }

    private void schedule() {
        for (var pod : List.copyOf(cluster.pods.values())) {
            if (pod.getSpec().getNodeName() != null || neverPlaced.test(pod)) {
                continue;
            }
            var shape = PodReader.shapeOf(pod);
            var relations = RelationsReader.relationsOf(pod, namespace -> Optional.empty());
            var misfits = relations.demands() ? misfits(shape, relations) : Map.<String, Misfit>of();
            cluster.nodes.values().stream()
                    .filter(node -> {
                        var used = cluster.podsOn(node.getMetadata().getName()).stream()
                                .map(PodOnNode::requests)
                                .reduce(Resources.NONE, Resources::plus);
                        var place = NodeReader.shapeOf(node);
                        return Fit.check(shape, place, place.allocatable().minus(used))
                                        .isEmpty()
                                && !misfits.containsKey(place.name());
                    })
                    .findFirst()
                    .ifPresent(node -> cluster.place(
                            pod.getMetadata().getName(), node.getMetadata().getName()));
        }
    }

    /** By node: what other pods have against a pod there. */
    private Map<String, Misfit> misfits(PodShape shape, PodRelations relations) {
        var around = new Neighbourhood();
        var sites = new HashMap<String, Site>();
        cluster.nodes.forEach((name, node) -> sites.put(name, around.addNode(NodeReader.shapeOf(node))));
        for (var pod : cluster.pods.values()) {
            var site = sites.get(String.valueOf(pod.getSpec().getNodeName()));
            if (site != null) {
                around.settle(
                        RelationsReader.relationsOf(pod, namespace -> Optional.empty()),
                        PodReader.hostPortsOf(pod),
                        false,
                        site);
            }
        }
        var misfits = new HashMap<String, Misfit>();
        sites.forEach((name, site) ->
                around.check(around.newcomer(shape, relations), site).ifPresent(misfit -> misfits.put(name, misfit)));
        return misfits;
    }

    public List<String> eventsOf(String object) {
        return events.stream().filter(event -> event.startsWith(object + " ")).toList();
    }

    /** The metric. */
    public int notCompleted() {
        return (int) meters.get("trainyard.scaler.not.completed.pods").gauge().value();
    }

    public void finishAllJobs() {
        cluster.pods.replaceAll((name, pod) -> pod.getSpec().getNodeName() == null
                ? pod
                : new PodBuilder(pod)
                        .editStatus()
                        .withPhase("Succeeded")
                        .endStatus()
                        .build());
    }

    public long placed() {
        return cluster.pods.values().stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .count();
    }

    public long nodesOf(String pool) {
        return cluster.nodes.values().stream()
                .filter(node -> pool.equals(node.getMetadata().getLabels().get(Names.POOL)))
                .count();
    }
}
