package dev.trainyard.simulation.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.Herald;
import dev.trainyard.scaler.Round;
import dev.trainyard.scaler.observe.Interruption;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cluster.Component;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** That invariants can break: they are told of what must not be, in a cluster without a scaler. */
class InvariantsTest {

    private static final KubernetesSerialization YAML = new KubernetesSerialization();
    private static final Behaviour QUICK = new Behaviour(
            Behaviour.Group.SCALE_SET,
            1000,
            Duration.ofSeconds(60),
            Duration.ofSeconds(90),
            Duration.ofSeconds(30),
            Duration.ofSeconds(20),
            Duration.ofSeconds(30),
            Optional.empty(),
            false);

    private final VirtualTime time = new VirtualTime(Instant.parse("2026-01-05T00:00:00Z"));
    private final Invariants invariants = new Invariants(time);

    /** A pool of at most three machines, and its smallest size. */
    private World world(int min, Disturbance disturbance) {
        var pool = YAML.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: gpu}
                spec:
                  provider: {kwok: {}}
                  capacityType: on-demand
                  min: %d
                  max: 3
                  provisionTimeout: 8m
                  hourlyPrice: "1"
                  scaleDown: {idleAfter: 5m, drainGrace: 5m}
                  promise:
                    labels: {gpu: "true"}
                    allocatable: {cpu: "16", memory: 64Gi, nvidia.com/gpu: "4"}
                """.formatted(min), TrainingPool.class);
        var tier = YAML.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: gpu}
                spec: {pools: [gpu], default: {gpus: {min: 1}}}
                """, TrainingTier.class);
        var world = new World(
                new World.Setting(
                        time.instant(),
                        List.of(pool),
                        List.of(tier),
                        new Workload(List.of()),
                        of -> QUICK,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        1),
                time,
                disturbance);
        invariants.watch(world);
        return world;
    }

    private World worldWithoutScaler(int min) {
        return world(min, new Disturbance() {
            @Override
            public boolean lacks(Component component) {
                return component == Component.SCALER;
            }
        });
    }

    private static Pool pool(World world) {
        return world.catalogue().pools().get("gpu");
    }

    private void pass(Duration time) {
        this.time.passTo(this.time.nanos() + time.toNanos());
    }

    /** A machine, and its node, Ready. */
    private String machine(World world) throws ProviderException {
        int size = world.cloud().target("gpu");
        world.cloud().grow(pool(world), size, size + 1);
        pass(Duration.ofMinutes(5));
        return world.cloud().running("gpu").get(size);
    }

    private static void pod(World world, String name, @Nullable String node, Map<String, String> annotations) {
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
                        .addToLimits("nvidia.com/gpu", new Quantity("99"))
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .withNewStatus()
                        .withPhase("Pending")
                        .endStatus()
                        .build());
    }

    private void bind(World world, String pod, String node) {
        pass(Duration.ofSeconds(1));
        world.server()
                .pods()
                .change(
                        "team/" + pod,
                        null,
                        before -> new PodBuilder(before)
                                .editSpec()
                                .withNodeName(node)
                                .endSpec()
                                .build());
        pass(Duration.ofSeconds(1));
    }

    private static void cordon(World world, String node, String removal) {
        world.server()
                .nodes()
                .change(
                        node,
                        null,
                        before -> new NodeBuilder(before)
                                .editMetadata()
                                .addToAnnotations(removal.isEmpty() ? Map.of() : Map.of(Names.REMOVING, removal))
                                .endMetadata()
                                .editSpec()
                                .withUnschedulable(true)
                                .endSpec()
                                .build());
    }

    private PodOnNode asked(World world, String name) {
        var pod = world.server().pods().get("team/" + name).orElseThrow();
        return new PodOnNode(
                "team",
                name,
                pod.getMetadata().getUid(),
                Optional.empty(),
                PodRelations.NONE,
                PodOnNode.Kind.TRAINING,
                true,
                time.instant(),
                Optional.empty(),
                Interruption.ALLOWED);
    }

    private static void breaks(String invariant, ThrowingCallable what) {
        assertThatThrownBy(what)
                .isInstanceOfSatisfying(
                        Broken.class, broken -> assertThat(broken.invariant()).isEqualTo(invariant));
    }

    @Test
    void aPoolAboveItsMaximum() {
        var world = worldWithoutScaler(0);

        breaks("size", () -> invariants.grows(pool(world), 3, 4));
    }

    @Test
    void moreMachinesThanPodsWait() {
        var world = worldWithoutScaler(0);
        pod(world, "waits", null, Map.of());

        invariants.grows(pool(world), 0, 1);
        breaks("no more than is wanted", () -> invariants.grows(pool(world), 0, 2));
    }

    @Test
    void machinesForPodsThatNoMachineIsFor() {
        var world = worldWithoutScaler(0);
        var pool = pool(world); // which is spoilt in a moment
        var oddities = new Oddities(world, new Chance(1), new Diary(time));
        for (int i = 0; i < 20; i++) {
            oddities.make();
        }

        assertThat(world.server().pods().all()).isNotEmpty().allMatch(Oddities::isOdd);
        breaks("no more than is wanted", () -> invariants.grows(pool, 0, 1));
    }

    @Test
    void ordersThatFailOverAndOver() {
        var world = worldWithoutScaler(0);

        breaks("a pool that has failed is left alone", () -> {
            for (int i = 0; i < 100; i++) {
                invariants.fails(pool(world));
            }
        });
    }

    @Test
    void aPodIsAskedToLeaveThatMustNotBeInterrupted() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);
        pod(world, "may", node, Map.of());
        pod(world, "must-not", node, Map.of(Names.DO_NOT_DISRUPT, "true"));

        invariants.evicts(asked(world, "may"));
        breaks("nothing is interrupted", () -> invariants.evicts(asked(world, "must-not")));
    }

    @Test
    void aPodIsMovedThatHasJustCome() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);
        pod(world, "new", null, Map.of());
        bind(world, "new", node);
        cordon(
                world,
                node,
                new Removal(Removal.Reason.UNDER_UTILIZED, time.instant().plusSeconds(60)).toString());

        breaks("nothing goes too soon", () -> invariants.evicts(asked(world, "new")));
    }

    @Test
    void aMachineGoesOnWhichAPodRuns() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);
        cordon(world, node, new Removal(Removal.Reason.IDLE, time.instant()).toString());
        invariants.terminates(pool(world), node);

        pod(world, "runs", node, Map.of());
        pass(Duration.ofSeconds(10));

        breaks("nothing is interrupted", () -> invariants.terminates(pool(world), node));
    }

    @Test
    void aMachineGoesOnWhichAPodStillHasTimeToEnd() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);
        pod(world, "ends", node, Map.of());
        pass(Duration.ofSeconds(10));
        cordon(world, node, new Removal(Removal.Reason.UNDER_UTILIZED, time.instant()).toString());
        world.evictions().delete("team/ends");

        breaks("nothing is interrupted", () -> invariants.terminates(pool(world), node));
        pass(Duration.ofSeconds(10));
        invariants.terminates(pool(world), node);
    }

    /** The node is missed after 40 s, its pods are told to end 5 minutes later, have 30 s for it, and count as lost after another minute. */
    @Test
    void aMachineGoesThatHangsWithAPodThatWasNotToBeInterrupted() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);
        pod(world, "must-not", node, Map.of(Names.DO_NOT_DISRUPT, "true"));
        pod(world, "may", node, Map.of());
        pass(Duration.ofSeconds(10));
        cordon(world, node, new Removal(Removal.Reason.DEAD, time.instant()).toString());
        world.hang(node);

        pass(Duration.ofMinutes(2));
        breaks("nothing is interrupted", () -> invariants.terminates(pool(world), node));
        pass(Duration.ofMinutes(4));
        breaks("nothing is interrupted", () -> invariants.terminates(pool(world), node));
        pass(Duration.ofMinutes(2));
        invariants.terminates(pool(world), node);
    }

    @Test
    void aMachineGoesThatSomebodyElseCordoned() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);
        cordon(world, node, "");

        breaks("what is not ours stays", () -> invariants.terminates(pool(world), node));
    }

    @Test
    void aMachineGoesAsIdleOnWhichAPodWasAMomentAgo() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);
        pod(world, "was", null, Map.of());
        bind(world, "was", node);
        pass(Duration.ofMinutes(10));
        world.server().pods().remove("team/was");
        pass(Duration.ofSeconds(1));
        cordon(world, node, new Removal(Removal.Reason.IDLE, time.instant().plusSeconds(60)).toString());

        breaks("nothing goes too soon", () -> invariants.terminates(pool(world), node));
    }

    @Test
    void aNodeIsDeletedWhoseMachineRuns() throws ProviderException {
        var world = worldWithoutScaler(0);
        var node = machine(world);

        breaks("what is not ours stays", () -> invariants.deletes(node));
    }

    @Test
    void somethingIsLeft() throws ProviderException {
        var world = worldWithoutScaler(0);
        invariants.settled();
        machine(world);

        breaks("nothing is left", invariants::settled);
    }

    @Test
    void aPoolIsSmallerThanItsMinimum() throws ProviderException {
        var world = worldWithoutScaler(1);
        breaks("size", invariants::settled);

        var node = machine(world);
        invariants.settled();

        world.hang(node);
        breaks("size", invariants::settled);
    }

    @Test
    void aNodeIsLeftWithoutAMachine() {
        var world = worldWithoutScaler(0);
        world.server()
                .nodes()
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName("lonely")
                        .endMetadata()
                        .withNewSpec()
                        .endSpec()
                        .withNewStatus()
                        .endStatus()
                        .build());

        breaks("no orphans", invariants::settled);
    }

    @Test
    void somethingIsWrittenWhileNothingHappens() throws ProviderException {
        var diary = new Diary(time);
        var mischief = new Mischief(EnumSet.noneOf(Fault.class), 1, time, diary, invariants);
        var world = world(2, mischief);

        world.cloud().grow(pool(world), 0, 2);
        world.cloud().withdraw(pool(world), 2, 1);

        var writes = mischief.takeWrites();
        assertThat(writes).containsExactly("grow gpu", "withdraw gpu");
        assertThat(mischief.takeWrites()).isEmpty();
        breaks("quiet", () -> invariants.quiet(writes));
    }

    @Test
    void aPodThatWaitsHasNoReason() {
        var rounds = new ArrayList<Round.Result>();
        var world = world(0, new Disturbance() {
            @Override
            public void ended(Round.Result round) {
                rounds.add(round);
            }
        });
        pod(world, "waits", null, Map.of());
        pass(Duration.ofMinutes(1));
        var last = rounds.get(rounds.size() - 1);
        var silent = new Plan(List.of(), List.of(), Map.of(), Set.of());

        invariants.ended(last);
        breaks(
                "each pod that waits has one reason",
                () -> invariants.ended(new Round.Result(last.snapshot(), silent, last.verdicts(), last.next())));
    }

    @Test
    void aRoundThatTheApiServerRefusedIsNoneThatFailsByItself() {
        var failed = new ArrayList<RuntimeException>();
        pod(
                world(1, new Failing(new ApiException(ApiException.UNAVAILABLE, "not now"), failed)),
                "waits",
                null,
                Map.of());
        pass(Duration.ofMinutes(1));
        assertThat(failed).isEmpty();
    }

    @Test
    void aRoundFailsByItself() {
        var failed = new ArrayList<RuntimeException>();
        pod(world(1, new Failing(new IllegalStateException("a number was expected"), failed)), "waits", null, Map.of());
        pass(Duration.ofMinutes(1));

        assertThat(failed).isNotEmpty();
        breaks("rounds do not fail", () -> invariants.failed(failed.get(0)));
    }

    /** Whenever the scaler tells something of an object. */
    private record Failing(RuntimeException problem, List<RuntimeException> failed) implements Disturbance {
        @Override
        public Herald herald() {
            return (about, type, reason, action, message) -> {
                throw problem;
            };
        }

        @Override
        public void failed(RuntimeException round) {
            failed.add(round);
        }
    }
}
