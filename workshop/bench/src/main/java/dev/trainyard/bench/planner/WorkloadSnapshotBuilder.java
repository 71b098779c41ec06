package dev.trainyard.bench.planner;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.Deadlines;
import dev.trainyard.scaler.observe.Interruption;
import dev.trainyard.scaler.observe.NodeLabels;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PodRelationsIndex;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.StayingPods;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A builder of the pools, tiers and nodes of a workload. */
final class WorkloadSnapshotBuilder {

    private final Instant now;
    private final Map<String, TrainingPoolSpec> pools = new LinkedHashMap<>();
    private final Map<String, TrainingTierSpec> tiers = new LinkedHashMap<>();
    private final Map<String, Pool> built = new HashMap<>();
    private final Map<String, List<Machine>> machinesOf = new HashMap<>();
    private final List<NodeView> nodes = new ArrayList<>();

    WorkloadSnapshotBuilder(Instant now) {
        this.now = now;
    }

    void pool(String name, String price, Map<String, String> labels, Map<String, String> machine, int max) {
        var allocatable = new HashMap<String, Quantity>();
        machine.forEach((resource, amount) -> allocatable.put(resource, new Quantity(amount)));
        var spec = new TrainingPoolSpec(
                new ProviderSpec(null, null, null, new ProviderSpec.Kwok(null, null, null, null)),
                CapacityType.ON_DEMAND,
                0,
                max,
                0,
                new PromiseSpec(labels, List.of(), allocatable, null, null),
                price,
                null,
                null);
        pools.put(name, spec);
        built.put(name, Pool.of(name, spec));
    }

    void tier(String name, List<String> poolNames) {
        tiers.put(name, new TrainingTierSpec(poolNames));
    }

    /** @param used share of the node's resources in use, from 0 to 1; GPUs are rounded up to whole ones */
    void node(String poolName, int number, double used) {
        var pool = pool(poolName);
        var labels = new HashMap<>(pool.promise().labels());
        var name = "node-%05d".formatted(number);
        labels.put("kubernetes.io/hostname", name);
        labels.put("topology.kubernetes.io/zone", "zone-" + number % 3);
        var shape = new NodeShape(name, labels, List.of(), true, pool.promise().allocatable());
        var taken = new TreeMap<String, Long>();
        shape.allocatable()
                .asMap()
                .forEach((resource, amount) ->
                        taken.put(resource, resource.equals("pods") ? 1 : (long) Math.ceil(amount * used)));
        var pod = new PodOnNode(
                "bench",
                "on-" + name,
                "uid-on-" + name,
                Optional.of(PlannerWorkload.shape(Resources.of(taken))),
                PodRelations.NONE,
                PodOnNode.Kind.TRAINING,
                true,
                now.minusSeconds(3600),
                Map.of(),
                Duration.ofSeconds(30),
                false,
                Optional.empty(),
                Optional.empty(),
                Interruption.ALLOWED);
        var marks = ScalerAnnotations.of(Map.of(
                ScalerAnnotations.SEEN_SINCE, now.minusSeconds(3600).toString(),
                ScalerAnnotations.USABLE_SINCE, now.minusSeconds(3600).toString()));
        nodes.add(new NodeView(
                shape,
                "kwok://" + poolName + "/" + name,
                Optional.of(pool),
                false,
                NodeLabels.COMPLETE,
                true,
                Optional.empty(),
                now.minusSeconds(3600),
                marks,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(pod)));
        machinesOf
                .computeIfAbsent(poolName, any -> new ArrayList<>())
                .add(new Machine(
                        name, "kwok://" + poolName + "/" + name, name, Machine.State.RUNNING, now.minusSeconds(3600)));
    }

    /** Whether a pod fits an empty machine of its tier's first pool, or of any pool if the pod has no tier. */
    boolean fitsFirstChoice(PodShape pod) {
        var tier = pod.tier() == null ? null : tiers.get(pod.tier());
        var choice = tier == null ? built.keySet() : List.of(tier.pools().get(0));
        return choice.stream()
                .anyMatch(name -> Fit.checkEmpty(pod, pool(name).promise()).isEmpty());
    }

    Snapshot snapshot(List<PendingPod> waiting) {
        return snapshot(waiting, PodRelationsIndex.NONE);
    }

    Snapshot snapshot(List<PendingPod> waiting, PodRelationsIndex relations) {
        var views = new TreeMap<String, PoolView>();
        var catalogue = Catalogue.of(pools, tiers);
        catalogue
                .pools()
                .forEach((name, pool) -> views.put(
                        name,
                        new PoolView(
                                pool,
                                state(machinesOf.getOrDefault(name, List.of())),
                                PoolLedger.EMPTY,
                                pool.promise(),
                                List.of(),
                                Duration.ofMinutes(15))));
        return new Snapshot(
                now,
                catalogue,
                waiting,
                List.of(),
                StayingPods.NONE,
                Map.of(),
                List.of(),
                nodes,
                views,
                List.of(),
                List.of(),
                Map.of(),
                relations,
                Deadlines.NONE,
                List.of());
    }

    private static PoolState state(List<Machine> machines) {
        return new PoolState(machines.size(), machines, List.of());
    }

    private Pool pool(String name) {
        var pool = built.get(name);
        if (pool == null) {
            throw new IllegalArgumentException("the workload has no pool " + name);
        }
        return pool;
    }
}
