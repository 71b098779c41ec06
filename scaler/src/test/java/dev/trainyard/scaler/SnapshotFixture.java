package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.scaler.provider.Bounds;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The state that a test sets: pools, tiers, pods, nodes, and the answers of clouds. */
public final class SnapshotFixture {

    /** The objects that describe gangs. */
    public GangObjects gangObjects = GangObjects.NONE;

    public Instant now = Objects.NOON;
    public final Map<String, TrainingPoolSpec> pools = new TreeMap<>();
    public final Map<String, TrainingTierSpec> tiers = new TreeMap<>();
    public CpuPodsOnGpuNodes cpuPodsOnGpuNodes = CpuPodsOnGpuNodes.NEVER;
    public final List<Pod> pods = new ArrayList<>();
    public final List<Node> nodes = new ArrayList<>();
    public final List<DaemonSet> daemonSets = new ArrayList<>();
    public final List<PodDisruptionBudget> budgets = new ArrayList<>();
    public final Map<String, PoolReading> readings = new HashMap<>();
    public final Map<String, PoolLedger> ledgers = new HashMap<>();

    /** Adds a pool without machines, whose cloud can be read. */
    public SnapshotFixture pool(String name, Objects.PoolBuilder pool) {
        pools.put(name, pool.spec());
        return cloud(name, 0);
    }

    /** Adds tier {@code light-gpu}: first spot machines with one GPU, then on-demand machines with one GPU. */
    public SnapshotFixture lightGpu() {
        return pool("light-spot", Objects.spot(1))
                .pool("light-ondemand", Objects.onDemand(1))
                .tier("light-gpu", "light-spot", "light-ondemand");
    }

    public SnapshotFixture tier(String name, String... poolNames) {
        tiers.put(name, Objects.tier(poolNames));
        return this;
    }

    public SnapshotFixture cloud(String pool, int target, Machine... machines) {
        readings.put(pool, PoolReading.of(new PoolState(target, List.of(machines), List.of())));
        return this;
    }

    public SnapshotFixture cloudFails(String pool, int target, FailureKind kind, String message, Machine... machines) {
        var failure = new Failure(kind, message, now);
        readings.put(pool, PoolReading.of(new PoolState(target, List.of(machines), List.of(failure))));
        return this;
    }

    /**
     * Adds a pool whose cloud fails.
     *
     * @param least the smallest target that the cloud resource accepts
     */
    public SnapshotFixture cloudFails(String pool, int target, int least, FailureKind kind, String message) {
        readings.put(
                pool,
                PoolReading.of(new PoolState(
                        target,
                        List.of(),
                        List.of(new Failure(kind, message, now)),
                        new Bounds(least, Integer.MAX_VALUE),
                        List.of())));
        return this;
    }

    public SnapshotFixture unreadable(String pool) {
        readings.put(pool, PoolReading.failed(new ProviderException(FailureKind.TRANSIENT, "connection reset")));
        return this;
    }

    public SnapshotFixture waiting(int count, String prefix, String tier, String... requests) {
        for (int i = 1; i <= count; i++) {
            pods.add(Objects.waiting(prefix + "-" + i, tier, requests));
        }
        return this;
    }

    /** Adds pending pods with the annotations of a gang. */
    public SnapshotFixture gang(String gang, String size, int count, String prefix, String tier, String... requests) {
        for (int i = 1; i <= count; i++) {
            pods.add(new PodBuilder(Objects.waiting(prefix + "-" + i, tier, requests))
                    .editMetadata()
                    .addToAnnotations(Names.GANG, gang)
                    .addToAnnotations(Names.GANG_SIZE, size)
                    .endMetadata()
                    .build());
        }
        return this;
    }

    public SnapshotFixture daemonSet(String name, Map<String, String> nodeSelector, String cpu) {
        daemonSets.add(new DaemonSetBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withNewTemplate()
                .withNewSpec()
                .withNodeSelector(nodeSelector)
                .addNewContainer()
                .withName(name)
                .withNewResources()
                .addToRequests("cpu", new Quantity(cpu))
                .endResources()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build());
        return this;
    }

    public SnapshotFixture running(String name, String node, String... requests) {
        pods.add(Objects.running(name, node, requests));
        return this;
    }

    public SnapshotFixture node(String name, String pool, UnaryOperator<NodeBuilder> change) {
        nodes.add(change.apply(new NodeBuilder(Objects.node(name, pool, pools.get(pool))))
                .build());
        return this;
    }

    public SnapshotFixture node(String name, String pool) {
        return node(name, pool, node -> node);
    }

    /** Adds a node as real clouds create it, without Trainyard's labels. */
    public SnapshotFixture unlabelledNode(String name, String pool) {
        return node(name, pool, node -> new NodeBuilder(Objects.unlabelled(node.build())));
    }

    public SnapshotFixture later(Duration duration) {
        now = now.plus(duration);
        return this;
    }

    public static Machine machine(String pool, String name, Machine.State state, Instant since) {
        return new Machine(name, "kwok://" + pool + "/" + name, name, state, since);
    }

    public Snapshot snapshot() {
        return new SnapshotReader(Names.NAMESPACE)
                .read(
                        now,
                        Catalogue.of(pools, tiers).with(cpuPodsOnGpuNodes),
                        new KubernetesObjects(
                                pods, nodes, daemonSets, budgets, namespace -> Optional.empty(), gangObjects),
                        readings,
                        ledgers);
    }

    /** Returns the snapshot, and stores the ledger of each pool for the next one, as a round would. */
    public Snapshot observe() {
        var snapshot = snapshot();
        snapshot.pools().forEach((name, pool) -> ledgers.put(name, snapshot.ledgerOf(pool)));
        return snapshot;
    }
}
