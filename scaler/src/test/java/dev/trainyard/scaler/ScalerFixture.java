package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.fit.Misfit;
import dev.trainyard.core.fit.PodTopology;
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
import dev.trainyard.scaler.dryrun.DryCloud;
import dev.trainyard.scaler.dryrun.DryCluster;
import dev.trainyard.scaler.leadership.FencedCloud;
import dev.trainyard.scaler.leadership.FencedCluster;
import dev.trainyard.scaler.loop.ExtenderReports;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.loop.RoundSchedule;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.ReadingLimit;
import dev.trainyard.scaler.page.StatusPageState;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.report.Notices;
import dev.trainyard.scaler.report.ReportChannels;
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
import java.util.stream.Stream;

/** A cluster, a cloud, a scheduler and a scaler, in time that the test moves. */
public final class ScalerFixture {

    public static final Duration BOOT = Duration.ofSeconds(30);

    /** Simulates the death of the process. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    public final MovedClock clock;
    public final FakeCluster cluster = new FakeCluster();
    /** The cloud of kwok's pools. */
    public final FakeCloud cloud;
    /** The reports of the extender. */
    public final ExtenderReports reports;

    /** The catalogues of the rounds. */
    public final List<Catalogue> configured = new ArrayList<>();

    public final List<String> events = new ArrayList<>();
    public final List<String> notices = new ArrayList<>();
    private boolean dryRun;
    public final MeterRegistry meters = new SimpleMeterRegistry();
    private final ScalerMetrics metrics = new ScalerMetrics(meters);
    /** Whether this scaler certainly holds the Lease, so that no other scaler leads. */
    public boolean leads = true;
    /** The number of failed checks of the Lease before its renewal, if {@link #leads} is false. */
    public int looksUntilRenewed = Integer.MAX_VALUE;
    /** The number of rounds that ended early because another scaler may hold the Lease. */
    public int cutOff;
    /** Whether the GPU drivers of joining machines never become ready. */
    public boolean neverUsable;
    /** A change of joining nodes of kwok's pools, so that the nodes differ from what the pool promises. */
    public UnaryOperator<Node> asJoined = UnaryOperator.identity();
    /** Pods that the scheduler leaves pending for an unknown reason. */
    public Predicate<Pod> neverPlaced = pod -> false;
    /** Names of machines whose nodes do not join again after their removal. */
    public final Set<String> neverRejoin = new HashSet<>();
    /** Whether the nodes of running machines never join. */
    public boolean machinesNeverJoin;

    /** Names of the nodes whose machines in other clouds exist. */
    private final Set<String> joined = new HashSet<>();

    private final Map<String, Objects.PoolBuilder> pools = new TreeMap<>();
    private final Supplier<Map<String, CloudProvider>> others;
    private final Supplier<List<EmulatedMachine>> otherMachines;
    private final Map<String, String> poolsOfGroups = new HashMap<>();
    private final Set<String> imported = new HashSet<>();
    private ReadingLimit readingLimit = ReadingLimit.NONE;
    private Round round;

    public ScalerFixture() {
        this(new MovedClock(), Map::of);
    }

    /**
     * Creates a fixture with further clouds besides the simulated cloud. All of them use {@code clock}.
     *
     * @param others creates the providers for a new scaler process, by the member of {@code spec.provider} that selects a provider
     */
    public ScalerFixture(MovedClock clock, Supplier<Map<String, CloudProvider>> others) {
        this(clock, others, List::of);
    }

    /** @param otherMachines booted machines of other clouds; their nodes join at once and are deleted with the machines */
    public ScalerFixture(
            MovedClock clock,
            Supplier<Map<String, CloudProvider>> others,
            Supplier<List<EmulatedMachine>> otherMachines) {
        this.clock = clock;
        this.others = others;
        this.otherMachines = otherMachines;
        cloud = new FakeCloud(clock, BOOT);
        reports = new ExtenderReports(() -> {}, clock);
        cluster.evictions.now = clock::instant;
        round = scaler();
    }

    public ScalerFixture pool(String name, Objects.PoolBuilder pool) {
        pools.put(name, pool);
        cluster.pool(name, pool.spec());
        return this;
    }

    /** Adds a pool of another cloud, whose machines belong to {@code group}. */
    public ScalerFixture pool(String name, Objects.PoolBuilder pool, ProviderSpec provider, String group) {
        cluster.pool(name, pool.spec(provider));
        poolsOfGroups.put(group, name);
        return this;
    }

    /** Adds a pool with its full spec. Its nodes have what the pool promises, and no labels of Trainyard. */
    public ScalerFixture imported(String name, TrainingPoolSpec spec, String group) {
        cluster.pool(name, spec);
        poolsOfGroups.put(group, name);
        imported.add(name);
        return this;
    }

    public ScalerFixture tier(String name, String... poolNames) {
        cluster.tier(name, Objects.tier(poolNames));
        return this;
    }

    public ScalerFixture waiting(int count, String prefix, String tier, String... requests) {
        for (int i = 1; i <= count; i++) {
            cluster.add(Objects.waiting(prefix + "-" + i, tier, requests));
        }
        return this;
    }

    /** Replaces the scaler by a new process that reads pods within a limit. */
    public void restartWith(ReadingLimit limit) {
        readingLimit = limit;
        restart();
    }

    /** Replaces the scaler by a new process without any state. */
    public void restart() {
        round = scaler();
    }

    private Round scaler() {
        return new Round(
                dryRun ? new DryCluster(cluster) : new FencedCluster(cluster, this::looksWhetherItLeads),
                configured::add,
                clouds(),
                Names.NAMESPACE,
                readingLimit,
                dryRun ? ReportChannels.dry() : new ReportChannels(this::tell, this::notice, reports::reasons, false),
                metrics,
                Planner.DEFAULT_PRIORITY_CUTOFF);
    }

    private void tell(HasMetadata about, EventRecorder.Type type, String reason, String action, String message) {
        events.add(about.getMetadata().getName() + " " + reason + ": " + message);
    }

    private void notice(String what, Collection<String> pods) {
        notices.add(pods.isEmpty() ? what : what + " " + Notices.list(pods));
    }

    /** Replaces the scaler by a new process that does a dry run. */
    public void onlyLook() {
        dryRun = true;
        restart();
    }

    private boolean looksWhetherItLeads() {
        return leads || --looksUntilRenewed < 0;
    }

    /** Returns clouds whose calls are answered at once, in virtual time. */
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

    /** Runs a round. */
    public Round.Result round() {
        return round.run(clock::instant);
    }

    /** Runs a round, and shows its result on a status page. */
    public void show(StatusPageState board) {
        var found = round();
        board.observed(found.snapshot(), found.plan(), found.verdicts());
    }

    /** Returns the longest pause after this many failed rounds in a row. */
    public static Duration pauseAfter(int failures) {
        return RoundSchedule.pause(failures, 1);
    }

    /** Lets a second pass: machines join, the scheduler places pods that fit, and the scaler runs a round. */
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

    /** Returns a running pod of the removed node as its Job creates it again. Returns other pods unchanged. */
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
            if (pod.getSpec().getNodeName() != null
                    || !pod.getSpec().getSchedulingGates().isEmpty()
                    || neverPlaced.test(pod)) {
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

    /** Returns, by node, why pods there exclude the new pod. */
    private Map<String, Misfit> misfits(PodShape shape, PodRelations relations) {
        var around = new PodTopology();
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

    /** Returns the value of the metric {@code trainyard.scaler.not.completed.pods}. */
    public int notCompleted() {
        return (int) meters.get("trainyard.scaler.not.completed.pods").gauge().value();
    }

    /** Returns the number of pods whose machines of a pool were reclaimed, and the GPU-seconds for which these pods had run. */
    public List<Integer> reclaimed(String pool) {
        return Stream.of("pods", "gpu.seconds")
                .map(name -> (int) meters.get("trainyard.scaler.reclaimed." + name)
                        .tag("pool", pool)
                        .counter()
                        .count())
                .toList();
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
