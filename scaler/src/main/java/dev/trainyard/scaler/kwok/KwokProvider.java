package dev.trainyard.scaler.kwok;

import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.kwok.SimulatedCloud.SimulatedMachine;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A simulated cloud: a pool's machines are Node objects whose kubelets kwok simulates. Like a real cloud, the simulated cloud accepts every
 * request at once, and reports a stock-out later. The cloud's state is in a ConfigMap, so the cloud survives this process. While no process
 * runs the simulation, no nodes join and no drivers become ready. Thread-safe.
 */
public final class KwokProvider implements CloudProvider {

    private static final Logger log = LoggerFactory.getLogger(KwokProvider.class);
    private static final Duration ATTENTION = Duration.ofMillis(500);
    /** A pool that was not read for this long counts as deleted. */
    private static final Duration FORGOTTEN = Duration.ofMinutes(10);

    private static final Duration TICK = Duration.ofMillis(200);

    private final KubernetesClient client;
    private final CloudStore store;
    private final Clock clock;
    private final boolean acts;
    private final Map<String, Watched> watched = new ConcurrentHashMap<>();
    /** The time of each pool's last reading, in milliseconds since 1970; before its first reading, the time of its first other call. */
    private final Map<String, Long> asked = new ConcurrentHashMap<>();

    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "kwok-cloud");
        thread.setDaemon(true);
        return thread;
    });

    /** A pool and the last known state of its cloud. The state shows when a machine's node is due to join or to become complete. */
    private record Watched(Pool pool, KwokSettings settings, SimulatedCloud cloud) {}

    /** @param namespace the namespace of the ConfigMaps */
    public KwokProvider(KubernetesClient client, String namespace, Clock clock) {
        this(client, namespace, clock, true);
    }

    private KwokProvider(KubernetesClient client, String namespace, Clock clock, boolean acts) {
        this.acts = acts;
        this.client = client;
        this.store = new CloudStore(client, namespace);
        this.clock = clock;
    }

    /** Returns a provider for dry runs: its reads do not make nodes join. */
    public static KwokProvider looking(KubernetesClient client, String namespace, Clock clock) {
        return new KwokProvider(client, namespace, clock, false);
    }

    /**
     * Starts the simulation: from now on, machines join when they are due. The simulation of a pool begins with the first call to this
     * provider about the pool.
     */
    public void start() {
        var unused = ticker.scheduleWithFixedDelay(this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        ticker.shutdownNow();
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        var settings = KwokSettings.of(pool);
        asked.put(pool.name(), clock.millis());
        var cloud = acts ? advance(pool, settings) : store.read(pool.name());
        return new PoolState(
                cloud.target(),
                cloud.machines().stream().map(machine -> machine(pool, machine)).toList(),
                failures(pool, settings, cloud));
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        var settings = KwokSettings.of(pool);
        remember(pool, settings, store.change(pool.name(), cloud -> {
            if (cloud.target() == to) {
                return cloud;
            }
            expectTarget(cloud, from);
            return cloud.order(pool.name(), to - from, settings.capacity(), clock.millis());
        }));
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        remember(pool, KwokSettings.of(pool), store.change(pool.name(), cloud -> {
            if (cloud.target() == to) {
                return cloud;
            }
            expectTarget(cloud, from);
            if (to < cloud.machines().size()) {
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "the request is not withdrawn: the pool's target would be %d machines, but %d exist or are being created"
                                .formatted(to, cloud.machines().size()));
            }
            return cloud.withdraw(to);
        }));
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        var ids = machines.stream().map(Machine::id).collect(Collectors.toSet());
        remember(pool, KwokSettings.of(pool), store.change(pool.name(), cloud -> cloud.without(ids)));
    }

    /** Returns high limits, since the simulated cloud's API is the cluster's own API server. */
    @Override
    public CallLimits limits() {
        return new CallLimits(200, 1000, 100, 500);
    }

    @Override
    public Duration attention() {
        return ATTENTION;
    }

    private static void expectTarget(SimulatedCloud cloud, int from) throws ProviderException {
        if (cloud.target() != from) {
            throw new ProviderException(
                    FailureKind.CONFLICT,
                    "the pool's target is %d machines, but the decision assumed %d".formatted(cloud.target(), from));
        }
    }

    private void tick() {
        long now = clock.millis();
        asked.values().removeIf(at -> now - at > FORGOTTEN.toMillis());
        watched.keySet().retainAll(asked.keySet());
        for (var entry : watched.values()) {
            if (entry.cloud().hasSomethingDue(now, entry.settings())) {
                try {
                    advance(entry.pool(), entry.settings());
                } catch (ProviderException | RuntimeException e) {
                    log.warn(
                            "pool {}: the update of the simulated machines failed (trying again): {}",
                            entry.pool().name(),
                            e.getMessage());
                }
            }
        }
    }

    /** Creates the nodes of machines that have booted, and completes the nodes of machines whose driver is ready. */
    private synchronized SimulatedCloud advance(Pool pool, KwokSettings settings) throws ProviderException {
        var cloud = store.read(pool.name());
        long now = clock.millis();
        if (cloud.hasSomethingDue(now, settings)) {
            var joined = new HashSet<String>();
            var completed = new HashSet<String>();
            for (var machine : cloud.machines()) {
                if (machine.isDueToJoin(now, settings)) {
                    join(pool, machine, settings);
                    joined.add(machine.id());
                } else if (machine.isDueToBeComplete(now, settings)) {
                    complete(pool, machine);
                    completed.add(machine.id());
                }
            }
            cloud = store.change(
                    pool.name(),
                    latest -> latest.mapMachines(machine -> note(machine, joined, completed, now, settings)));
        }
        remember(pool, settings, cloud);
        return cloud;
    }

    private static SimulatedMachine note(
            SimulatedMachine machine, Set<String> joined, Set<String> completed, long now, KwokSettings settings) {
        if (joined.contains(machine.id()) && machine.joined() == null) {
            return machine.join(now, settings.driverDelay().isZero());
        }
        return completed.contains(machine.id()) ? machine.completed() : machine;
    }

    private void join(Pool pool, SimulatedMachine machine, KwokSettings settings) throws ProviderException {
        try {
            var node = SimulatedNodes.node(
                    pool,
                    machine.id(),
                    SimulatedNodes.providerId(pool.name(), machine.id()),
                    settings.driverDelay().isZero());
            // Real clouds do not set the pool label. Here the scaler creates the node itself, so it can set the label
            // from the start.
            client.resource(new NodeBuilder(node)
                            .editMetadata()
                            .addToLabels(Names.POOL, pool.name())
                            .endMetadata()
                            .build())
                    .create();
        } catch (KubernetesClientException e) {
            // On a conflict, the node exists already: an earlier process created the node, but ended before it recorded
            // this.
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw failure("creating node " + machine.id(), e);
            }
        }
    }

    private void complete(Pool pool, SimulatedMachine machine) throws ProviderException {
        try {
            client.nodes()
                    .withName(machine.id())
                    .subresource("status")
                    .patch(PatchContext.of(PatchType.JSON_MERGE), SimulatedNodes.completion(pool, machine.id()));
        } catch (KubernetesClientException e) {
            // If the node is not found, it was deleted. A real kubelet would not create the node again either.
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw failure("updating the status of node " + machine.id(), e);
            }
        }
    }

    private void remember(Pool pool, KwokSettings settings, SimulatedCloud cloud) {
        asked.putIfAbsent(pool.name(), clock.millis());
        watched.put(pool.name(), new Watched(pool, settings, cloud));
    }

    private static Machine machine(Pool pool, SimulatedMachine machine) {
        return new Machine(
                machine.id(),
                SimulatedNodes.providerId(pool.name(), machine.id()),
                machine.id(),
                machine.joined() == null ? Machine.State.CREATING : Machine.State.RUNNING,
                Instant.ofEpochMilli(machine.orderedAt()));
    }

    private List<Failure> failures(Pool pool, KwokSettings settings, SimulatedCloud cloud) {
        var now = clock.instant();
        return cloud.shortages().stream()
                .map(shortage -> new Failure(
                        pool.isSpot() ? FailureKind.SPOT_CAPACITY : FailureKind.CAPACITY,
                        "no capacity: %d of the requested machines are not available; this simulated cloud has only %d machines"
                                .formatted(shortage.machines(), settings.capacity()),
                        Instant.ofEpochMilli(shortage.orderedAt()).plus(settings.failureDelay())))
                .filter(failure -> !failure.at().isAfter(now))
                .toList();
    }

    private static ProviderException failure(String doing, KubernetesClientException e) {
        return new ProviderException(
                FailureKind.TRANSIENT, "%s failed: %s".formatted(doing, String.valueOf(e.getMessage())));
    }
}
