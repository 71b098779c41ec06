package dev.trainyard.simulation.fault;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.Chance;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Malformed objects, created at random. The objects are removed when the injection of faults ends. */
public final class MalformedObjects {

    private static final KubernetesSerialization OBJECTS = new KubernetesSerialization();

    /** The label of malformed pods, for which no machine should be requested. */
    private static final String ODD = "odd";

    /** An invalid provisionTimeout. */
    private static final String SPOILT = "soon";

    private final World world;
    private final Chance chance;
    private final ActivityLog log;
    private final List<Runnable> removals = new ArrayList<>();
    private int made;

    public MalformedObjects(World world, Chance chance, ActivityLog log) {
        this.world = world;
        this.chance = chance;
        this.log = log;
    }

    /** Creates one more object. */
    public void make() {
        var name = "odd-" + made++;
        switch (chance.number(5)) {
            case 0, 1 -> pod(name);
            case 2 -> node(name);
            case 3 -> poolAndTier(name);
            default -> spoil();
        }
    }

    public static boolean isOdd(Pod pod) {
        var labels = pod.getMetadata().getLabels();
        return labels != null && labels.containsKey(ODD);
    }

    void remove() {
        removals.forEach(Runnable::run);
        removals.clear();
    }

    private void pod(String name) {
        log.note("an invalid pod %s is created".formatted(name));
        // The CPU request of the first pod cannot be parsed. The second pod can be parsed, but has absurd values.
        var pod = chance.happens(0.5) ? odd(name, "lots", "1") : odd(name, "1e9999999", "-1");
        world.server().pods().create(pod);
        removals.add(() -> world.server().pods().remove(ObjectStore.key(pod)));
    }

    private void node(String name) {
        log.note("an invalid node %s is created".formatted(name));
        world.server()
                .nodes()
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .addToLabels(Names.POOL, anyPool().getMetadata().getName())
                        .addToAnnotations("trainyard.dev/idle-since", "yesterday")
                        .addToAnnotations(Names.REMOVING, "{")
                        .endMetadata()
                        .withNewSpec()
                        .endSpec()
                        .withNewStatus()
                        .addToAllocatable("cpu", new Quantity("lots"))
                        .endStatus()
                        .build());
        removals.add(() -> world.server().nodes().remove(name));
    }

    private void poolAndTier(String name) {
        log.note("an invalid pool and an invalid tier %s are created".formatted(name));
        world.server().pools().create(OBJECTS.unmarshal("""
                        apiVersion: trainyard.dev/v1alpha1
                        kind: TrainingPool
                        metadata: {name: %s}
                        spec: {capacityType: spot, min: 5, max: -1, provisionTimeout: soon}
                        """.formatted(name), TrainingPool.class));
        world.server().tiers().create(OBJECTS.unmarshal("""
                        apiVersion: trainyard.dev/v1alpha1
                        kind: TrainingTier
                        metadata: {name: %s}
                        spec: {pools: [%s, none], fallbackAfter: at once, default: {gpus: {min: -7}}}
                        """.formatted(name, name), TrainingTier.class));
        removals.add(() -> world.server().pools().remove(name));
        removals.add(() -> world.server().tiers().remove(name));
    }

    /** Makes a pool that is in use invalid for a while. */
    private void spoil() {
        var pool = anyPool();
        var name = pool.getMetadata().getName();
        var timeout = pool.getSpec().provisionTimeout();
        if (SPOILT.equals(timeout)) {
            return;
        }
        log.note("the spec of pool %s becomes invalid".formatted(name));
        world.server().pools().changeIfThere(name, before -> with(before, SPOILT));
        Runnable mend = () -> world.server().pools().changeIfThere(name, before -> {
            if (!SPOILT.equals(before.getSpec().provisionTimeout())) {
                return before;
            }
            log.note("the spec of pool %s is fixed".formatted(name));
            return with(before, timeout);
        });
        world.time().after(chance.between(Duration.ofSeconds(10), Duration.ofMinutes(10)), mend);
        removals.add(mend);
    }

    private static TrainingPool with(TrainingPool before, @Nullable String provisionTimeout) {
        var after = new TrainingPool();
        var metadata = new ObjectMetaBuilder(before.getMetadata()).build();
        metadata.setGeneration(metadata.getGeneration() + 1);
        after.setMetadata(metadata);
        after.setStatus(before.getStatus());
        var spec = before.getSpec();
        after.setSpec(new TrainingPoolSpec(
                spec.provider(),
                spec.capacityType(),
                spec.min(),
                spec.max(),
                spec.spare(),
                spec.promise(),
                spec.hourlyPrice(),
                provisionTimeout,
                spec.scaleDown(),
                spec.readiness()));
        return after;
    }

    private TrainingPool anyPool() {
        var pools = List.copyOf(world.server().pools().all());
        return pools.get(chance.number(pools.size()));
    }

    private static Pod odd(String name, String cpu, String gpus) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName(name)
                .addToLabels(ODD, "true")
                .addToAnnotations(Names.GANG, name)
                .addToAnnotations(Names.GANG_SIZE, "many")
                .addToAnnotations(Names.GPU_MEMORY, "a lot")
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(Names.SCHEDULER)
                .addNewContainer()
                .withName("main")
                .withNewResources()
                .addToRequests("cpu", new Quantity(cpu))
                .addToLimits("nvidia.com/gpu", new Quantity(gpus))
                .endResources()
                .endContainer()
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withReason("Unschedulable")
                .endCondition()
                .endStatus()
                .build();
    }
}
