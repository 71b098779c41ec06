package dev.trainyard.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.Interruption;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.SimulatedComponent;
import dev.trainyard.simulation.cluster.SmallWorld;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/**
 * A small cluster with invariants, in which a test makes the changes that violate them. It has one pool, gpu, of at most three machines.
 *
 * @param time the virtual time of the cluster
 */
record Scene(VirtualTime time, Invariants invariants, World world) {

    /** @param min the minimum size of the pool */
    static Scene disturbed(int min, Disturbance disturbance) {
        var time = new VirtualTime(SmallWorld.START);
        return disturbed(min, time, disturbance);
    }

    static Scene disturbed(int min, VirtualTime time, Disturbance disturbance) {
        var pool = SmallWorld.pool(
                "gpu",
                "on-demand",
                3,
                "1",
                "min: " + min,
                "provisionTimeout: 8m",
                "scaleDown: {idleAfter: 5m, drainGrace: 5m}");
        return disturbed(List.of(pool), SmallWorld.tier("gpu", "gpu"), time, disturbance);
    }

    /** Returns a cluster with these pools and this tier. One pool is named gpu. */
    static Scene disturbed(List<TrainingPool> pools, TrainingTier tier, VirtualTime time, Disturbance disturbance) {
        return disturbed(pools, tier, SmallWorld.QUICK, time, disturbance);
    }

    private static Scene disturbed(
            List<TrainingPool> pools,
            TrainingTier tier,
            Behaviour behaviour,
            VirtualTime time,
            Disturbance disturbance) {
        var world = new World(
                new World.Setting(
                        time.instant(),
                        pools,
                        List.of(tier),
                        new Workload(List.of()),
                        of -> behaviour,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        1),
                time,
                disturbance);
        return new Scene(time, new Invariants(world, pod -> false), world);
    }

    /** Returns a cluster without a scaler: only the test requests and removes machines. */
    static Scene withoutScaler(int min) {
        return disturbed(min, new NoScaler());
    }

    /** Returns a cluster without a scaler whose pool's machines can be held by lifecycle hooks. */
    static Scene withLifecycleHooks() {
        return disturbed(
                List.of(SmallWorld.pool("gpu", "on-demand", 3, "1")),
                SmallWorld.tier("gpu", "gpu"),
                SmallWorld.QUICK_WITH_HOOKS,
                new VirtualTime(SmallWorld.START),
                new NoScaler());
    }

    /**
     * Returns a cluster without a scaler that also has a spot pool, spot. The pods of the tier gpu prefer it.
     *
     * @param settings fields of the tier's spec, as YAML
     */
    static Scene withSpotPool(String settings) {
        return disturbed(
                List.of(SmallWorld.pool("spot", "spot", 3, "1"), SmallWorld.pool("gpu", "on-demand", 3, "4")),
                new KubernetesSerialization().unmarshal("""
                        apiVersion: trainyard.dev/v1alpha1
                        kind: TrainingTier
                        metadata: {name: gpu}
                        spec: {pools: [spot, gpu], resumable: true, %s}
                        """.formatted(settings), TrainingTier.class),
                new VirtualTime(SmallWorld.START),
                new NoScaler());
    }

    private static final class NoScaler implements Disturbance {
        @Override
        public boolean lacks(SimulatedComponent component) {
            return component == SimulatedComponent.SCALER;
        }
    }

    static void breaks(String invariant, ThrowingCallable what) {
        assertThatThrownBy(what)
                .isInstanceOfSatisfying(
                        InvariantViolation.class,
                        broken -> assertThat(broken.invariant()).isEqualTo(invariant));
    }

    Pool pool() {
        return world.catalogue().pools().get("gpu");
    }

    Instant now() {
        return time.instant();
    }

    void pass(Duration passes) {
        time.passTo(time.nanos() + passes.toNanos());
    }

    /** Creates a machine, and waits until its node is Ready. Labels the node with its pool, since there may be no scaler that does. */
    String machine() throws ProviderException {
        return machine("gpu");
    }

    /** Creates a machine of this pool, like {@link #machine()}. */
    String machine(String pool) throws ProviderException {
        int size = world.cloud().target(pool);
        world.cloud().grow(world.catalogue().pools().get(pool), size, size + 1);
        pass(Duration.ofMinutes(5));
        var name = world.cloud().running(pool).get(size);
        world.server()
                .nodes()
                .changeIfThere(
                        name,
                        node -> new NodeBuilder(node)
                                .editMetadata()
                                .addToLabels(Names.POOL, pool)
                                .endMetadata()
                                .build());
        return name;
    }

    /** Creates a pod in the namespace team. */
    void pod(String name, @Nullable String node, Map<String, String> annotations) {
        pod(name, node, annotations, "99");
    }

    void pod(String name, @Nullable String node, Map<String, String> annotations, String gpus) {
        world.server()
                .pods()
                .create(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("team")
                        .withName(name)
                        .withAnnotations(annotations)
                        .addNewOwnerReference()
                        .withController(true)
                        .withKind("Job")
                        .withName(name)
                        .withUid(name)
                        .endOwnerReference()
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(node)
                        .addNewContainer()
                        .withName("main")
                        .withNewResources()
                        .addToLimits("nvidia.com/gpu", new Quantity(gpus))
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .withNewStatus()
                        .withPhase("Pending")
                        .endStatus()
                        .build());
    }

    void bind(String pod, String node) {
        pass(Duration.ofSeconds(1));
        change(pod, before -> before.editSpec().withNodeName(node).endSpec());
        pass(Duration.ofSeconds(1));
    }

    void change(String pod, UnaryOperator<PodBuilder> how) {
        world.server()
                .pods()
                .change(
                        "team/" + pod,
                        null,
                        before -> how.apply(new PodBuilder(before)).build());
    }

    void priority(String pod, int priority) {
        change(pod, before -> before.editSpec().withPriority(priority).endSpec());
    }

    /** Cordons the node as the scaler does. */
    void cordon(String node, Removal.Reason reason, Instant since) {
        world.server().nodes().change(node, null, before -> Cordon.set(before, new Removal(reason, since)));
    }

    /** Marks the node with an annotation, as an operator does. */
    void mark(String node, String with) {
        world.server()
                .nodes()
                .change(
                        node,
                        null,
                        before -> new NodeBuilder(before)
                                .editMetadata()
                                .addToAnnotations(with, "true")
                                .endMetadata()
                                .build());
    }

    void cordonBySomebodyElse(String node) {
        world.cordon(node, true);
    }

    /** Uncordons the node as the scaler does. */
    void uncordon(String node) {
        world.server().nodes().change(node, null, Cordon::lift);
    }

    /** Returns a pod in the form in which the scaler evicts it. */
    PodOnNode asked(String name) {
        var pod = world.server().pods().get("team/" + name).orElseThrow();
        return new PodOnNode(
                "team",
                name,
                pod.getMetadata().getUid(),
                Optional.empty(),
                PodRelations.NONE,
                PodOnNode.Kind.TRAINING,
                true,
                now(),
                Map.of(),
                Duration.ofSeconds(30),
                false,
                Optional.empty(),
                Optional.empty(),
                Interruption.ALLOWED);
    }
}
