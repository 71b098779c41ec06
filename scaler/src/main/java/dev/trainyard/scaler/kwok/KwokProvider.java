package dev.trainyard.scaler.kwok;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.kwok.KwokCloud.Rented;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cloud made of Node objects, for demos, tests and benchmarks: it accepts orders at once, delivers after {@code bootDelay}, installs drivers for
 * {@code driverDelay}, and runs out of machines at {@code capacity}. As with real clouds the scaler deletes the Node of a machine that is gone.
 *
 * <p>{@link #tick} makes due machines join while the scaler runs; after a pause everything that has become due happens at once.
 */
public final class KwokProvider implements CloudProvider {

    private static final Logger log = LoggerFactory.getLogger(KwokProvider.class);

    private final KwokStore store;
    private final KwokNodes nodes;
    private final Clock clock;
    /** Pools to look after, by name, as they were last read. */
    private final Map<String, Pool> pools = new ConcurrentHashMap<>();

    /** Pools in which nothing is due any more until the next order. */
    private final Map<String, Boolean> settled = new ConcurrentHashMap<>();

    /** @param namespace where the clouds are kept, in ConfigMaps {@code kwok-cloud-POOL} */
    public KwokProvider(KubernetesClient client, String namespace, Clock clock) {
        this.store = new KwokStore(client, namespace);
        this.nodes = new KwokNodes(client);
        this.clock = clock;
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        pools.put(pool.name(), pool);
        return advance(pool).state(pool.name(), clock.instant());
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        var terms = KwokTerms.of(pool);
        settled.remove(pool.name());
        store.change(pool.name(), cloud -> cloud.grow(from, to, terms, pool.name(), clock.instant()));
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        store.change(pool.name(), cloud -> cloud.withdraw(from, to));
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        var ids = machines.stream().map(Machine::id).collect(Collectors.toSet());
        store.change(pool.name(), cloud -> cloud.terminate(ids));
    }

    @Override
    public Duration attention() {
        return Duration.ofMillis(500);
    }

    /** Lets happen what is due in the pools read so far; to be called every now and then. Never fails. */
    public void tick() {
        pools.forEach((name, pool) -> {
            if (!settled.containsKey(name)) {
                try {
                    advance(pool);
                } catch (ProviderException e) {
                    log.warn("simulated pool {}: {}", name, e.words());
                }
            }
        });
    }

    /** Makes nodes first and takes note after, so that a death in between makes them again, which changes nothing. */
    private KwokCloud advance(Pool pool) throws ProviderException {
        var now = clock.instant();
        var cloud = store.read(pool.name());
        var progressed = new HashMap<String, Rented>();
        try {
            for (var machine : cloud.machines()) {
                boolean joins = !machine.joined() && machine.joins(now);
                boolean drives = !machine.driver() && machine.showsDriver(now);
                if (joins) {
                    nodes.join(pool, machine.id());
                }
                if (drives) {
                    nodes.showGpus(pool, machine.id());
                }
                if (joins || drives) {
                    progressed.put(
                            machine.id(), machine.withProgress(machine.joined() || joins, machine.driver() || drives));
                }
            }
        } catch (KubernetesClientException e) {
            var kind = e.getCode() == 403 ? FailureKind.AUTH : FailureKind.TRANSIENT;
            throw new ProviderException(kind, "a simulated node could not be made: " + e.getMessage());
        }
        if (progressed.isEmpty()) {
            if (cloud.machines().stream().allMatch(machine -> machine.joined() && machine.driver())) {
                settled.put(pool.name(), true);
            }
            return cloud;
        }
        return store.change(pool.name(), current -> {
            var after = current;
            for (var machine : progressed.values()) {
                after = after.replace(machine);
            }
            return after;
        });
    }
}
