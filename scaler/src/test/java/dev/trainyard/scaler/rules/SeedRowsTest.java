package dev.trainyard.scaler.rules;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.lifecycle.Lifecycle;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reports of teams that trained on autoscaled Kubernetes in 2017 to 2019, where a test needs no real cloud: on Azure with acs-engine (000),
 * on Azure with aks-engine and low-priority machines (003), on AWS with kops (004). The numbers are theirs. {@link RulesAndRowsTest} has
 * the list.
 */
class SeedRowsTest {

    private static final String GPU = "nvidia.com/gpu";
    private static final int MINUTE = 60;

    private final ScalerFixture world = new ScalerFixture();

    @Test
    void seed000_aBurstOfFortyIsOneRequestForFortyAndEndsWithNone() {
        lightGpu();
        world.waiting(40, "train", "light-gpu", GPU, "1");
        world.seconds(35);

        assertThat(world.placed()).isEqualTo(40);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->40");

        world.finishAllJobs();
        world.seconds(2 * MINUTE);
        assertThat(world.cloud.target("light-spot")).isZero();
        assertThat(world.cloud.machines("light-spot")).isEmpty();
        assertThat(world.cluster.nodes).isEmpty();
    }

    @Test
    void seed000_aThousandLoopsWithoutNewsChangeNothing() {
        lightGpu();
        world.waiting(3, "train", "light-gpu", GPU, "1");
        world.seconds(70); // the labels of new nodes are noted after half a minute
        var calls = List.copyOf(world.cloud.calls);
        var changes = List.copyOf(world.cluster.changes);

        world.seconds(1000);

        assertThat(world.cloud.calls).isEqualTo(calls);
        assertThat(world.cluster.changes).isEqualTo(changes);
    }

    /** One pod has no controller, two are marked, and one uses all of its machine. */
    @Test
    void seed000_aTrainingThatMustNotBeInterruptedNeverLosesItsMachine() {
        world.pool("light", onDemand(1).idleAfter("10s")).tier("light-gpu", "light");
        world.cluster.add(new PodBuilder(training("bare", "100m"))
                .editMetadata()
                .withOwnerReferences()
                .endMetadata()
                .build());
        world.cluster.add(marked("critical", "openai/do-not-drain", "true"));
        world.cluster.add(marked("not-safe", "cluster-autoscaler.kubernetes.io/safe-to-evict", "false"));
        world.cluster.add(marked("ours", Names.DO_NOT_DISRUPT, "true"));
        world.cluster.add(training("busy", "5"));
        world.seconds(40);
        assertThat(world.placed()).isEqualTo(5);

        world.seconds(20 * MINUTE);

        assertThat(world.placed()).isEqualTo(5);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("evict"));
        assertThat(world.cloud.calls).noneMatch(call -> call.startsWith("terminate"));
    }

    @Test
    void seed000_eachOfThreeKindsOfTrainingGetsItsOwnKindOfMachine() {
        threePools();
        world.waiting(1, "features", "cpu", "cpu", "2")
                .waiting(1, "retrain", "light", GPU, "1")
                .waiting(1, "whole-net", "heavy", GPU, "4");
        world.second();

        assertThat(world.cloud.calls).containsExactlyInAnyOrder("grow d2-v2 0->1", "grow nc6 0->1", "grow nc24 0->1");
    }

    @Test
    void seed000_onlyThePoolThatCanRunThePodsGrows() {
        threePools();
        world.waiting(10, "features", null, "cpu", "1");
        world.seconds(35);

        assertThat(world.cloud.calls).containsExactly("grow d2-v2 0->2");
        assertThat(world.placed()).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void seed000_howManyMachinesThereAreAtFirstDoesNotMatter(int machines) throws Exception {
        var pool = spot(1).min(1).idleAfter("10s");
        world.pool("agentpool2", pool).tier("gpu", "agentpool2");
        world.cloud.grow(Pool.of("agentpool2", pool.spec()), 0, machines);

        world.seconds(3 * MINUTE);

        assertThat(world.nodesOf("agentpool2")).isEqualTo(1);
        assertThat(world.cloud.target("agentpool2")).isEqualTo(1);
    }

    @Test
    void seed000_ofAHundredAndFiftyPodsAHundredGetAMachineAndFiftyAnExplanation() {
        var testCluster = new SnapshotFixture()
                .pool("agentpool2", spot(1))
                .tier("gpu", "agentpool2")
                .waiting(150, "train", "gpu", GPU, "1");

        var plan = Planner.plan(testCluster.snapshot());

        assertThat(plan.growths()).singleElement().satisfies(growth -> {
            assertThat(growth.from()).isZero();
            assertThat(growth.to()).isEqualTo(100);
            assertThat(growth.wanted()).isEqualTo(150);
        });
        assertThat(plan.outcomes().values().stream().filter(Outcome.Growing.class::isInstance))
                .hasSize(100);
        assertThat(plan.outcomes().values().stream()
                        .filter(Outcome.Unplaced.class::isInstance)
                        .map(Outcome::message))
                .hasSize(50)
                .allMatch(
                        message -> message.startsWith("pool agentpool2 can add ") && message.endsWith("(maximum 100)"));
    }

    /** For twelve minutes, the node is there without its GPU. */
    @Test
    void seed000_whileADriverIsInstalledNoSecondMachineIsBought() {
        world.pool("nc6", onDemand(1)).tier("gpu", "nc6");
        world.neverUsable = true;
        world.waiting(1, "train", "gpu", GPU, "1");
        world.seconds(12 * MINUTE);
        assertThat(world.cloud.calls).containsExactly("grow nc6 0->1");
        assertThat(world.nodesOf("nc6")).isEqualTo(1);

        world.cluster.nodes.replaceAll((name, node) -> new NodeBuilder(node)
                .editStatus()
                .addToAllocatable(GPU, new Quantity("1"))
                .endStatus()
                .build());
        world.seconds(5);

        assertThat(world.placed()).isEqualTo(1);
        assertThat(world.cloud.calls).containsExactly("grow nc6 0->1");
    }

    @Test
    void seed000_aMachineWhoseDriverNeverComesIsReplacedOnce() {
        world.pool("nc6", onDemand(1)).tier("gpu", "nc6");
        world.neverUsable = true;
        world.waiting(1, "train", "gpu", GPU, "1");

        world.seconds(25 * MINUTE);

        assertThat(world.cloud.calls.stream().filter(call -> call.startsWith("grow")))
                .hasSize(2);
        assertThat(world.cloud.calls).contains("terminate nc6 [nc6-0001]");
    }

    @Test
    void seed000_aMachineHasLongerThanADriverTakesUnlessThePoolSaysOtherwise() {
        var spec = onDemand(1).provisionTimeout(null).spec();

        assertThat(Pool.of("nc6", spec).provisionTimeout()).isGreaterThan(Duration.ofMinutes(10 + 3));
        assertThat(Pool.of("nc6", onDemand(1).provisionTimeout("40m").spec()).provisionTimeout())
                .isEqualTo(Duration.ofMinutes(40));
    }

    @Test
    void seed000_podsArePackedBeforeMachinesAreCounted() {
        var testCluster = new SnapshotFixture()
                .pool("d2-v2", onDemand(0))
                .tier("cpu", "d2-v2")
                .waiting(7, "spark", "cpu", "cpu", "1900m");

        assertThat(Planner.plan(testCluster.snapshot()).growths())
                .as("three of them on a machine of six")
                .singleElement()
                .satisfies(growth -> assertThat(growth.to()).isEqualTo(3));
    }

    @Test
    void seed000_aSecondJobWithAGpuIsOneCallForOnePool() {
        var testCluster = new SnapshotFixture()
                .pool("agentpool1", onDemand(0))
                .pool("agentpool2", onDemand(1))
                .tier("cpu", "agentpool1")
                .tier("gpu", "agentpool2");
        testCluster.node("k8s-agentpool1-0", "agentpool1").running("spark", "k8s-agentpool1-0", "cpu", "6");
        testCluster.node("k8s-agentpool2-0", "agentpool2").running("train", "k8s-agentpool2-0", GPU, "1");
        testCluster.cloud("agentpool1", 1, running("agentpool1", "k8s-agentpool1-0"));
        testCluster.cloud("agentpool2", 1, running("agentpool2", "k8s-agentpool2-0"));
        testCluster.waiting(1, "tftrain", "gpu", GPU, "1");

        assertThat(Planner.plan(testCluster.snapshot()).growths())
                .singleElement()
                .satisfies(growth -> {
                    assertThat(growth.pool().name()).isEqualTo("agentpool2");
                    assertThat(growth.to()).isEqualTo(2);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"Succeeded", "Failed"})
    void seed000_podsThatHaveEndedFreeTheirMachine(String phase) {
        lightGpu();
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.seconds(40);
        world.cluster.pods.replaceAll((name, pod) ->
                new PodBuilder(pod).editStatus().withPhase(phase).endStatus().build());
        world.seconds(MINUTE);

        assertThat(world.nodesOf("light-spot")).isZero();
    }

    @Test
    void seed000_podsOfDaemonSetsAndStaticPodsHoldNoMachineAndAreNeverEvicted() {
        lightGpu();
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.seconds(35);
        var node = world.cluster.nodes.keySet().iterator().next();
        world.cluster.add(ofDaemonSet("kube-proxy-x", node));
        world.cluster.add(new PodBuilder(Objects.running("static", node, "cpu", "100m"))
                .editMetadata()
                .withOwnerReferences()
                .addToAnnotations("kubernetes.io/config.mirror", "x")
                .endMetadata()
                .build());
        world.finishAllJobs();
        // Finishing all jobs has ended the DaemonSet's pod too, so it is added again as a running pod.
        world.cluster.add(ofDaemonSet("kube-proxy-x", node));
        world.seconds(MINUTE);

        assertThat(world.nodesOf("light-spot")).isZero();
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("evict"));
    }

    @Test
    void seed000_machinesFollowTheReplicasUpAndDown() {
        lightGpu();
        world.waiting(2, "serve", "light-gpu", GPU, "1");
        world.seconds(35);
        world.waiting(6, "serve", "light-gpu", GPU, "1"); // the first two are replaced, and pending again
        world.cluster.nodes.keySet().stream().sorted().limit(1).forEach(node -> world.cluster.place("serve-1", node));
        world.cluster.nodes.keySet().stream()
                .sorted()
                .skip(1)
                .limit(1)
                .forEach(node -> world.cluster.place("serve-2", node));
        world.seconds(35);
        assertThat(world.nodesOf("light-spot")).isEqualTo(6);

        for (var gone : List.of("serve-3", "serve-4", "serve-5", "serve-6")) {
            world.cluster.pods.remove(gone);
        }
        world.seconds(MINUTE);
        assertThat(world.nodesOf("light-spot")).isEqualTo(2);
        assertThat(world.placed()).isEqualTo(2);
    }

    @Test
    void seed000_overQuotaThePoolSaysSoBacksOffAndTheNextIsAsked() {
        lightGpu();
        world.cloud.refusing.put("light-spot", FailureKind.QUOTA);
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.second();

        assertThat(world.cloud.calls).containsExactly("grow light-ondemand 0->1");
        var backOff = world.cluster.pools.get("light-spot").getStatus().backOff();
        assertThat(backOff.kind()).isEqualTo("quota");
        assertThat(backOff.until()).isGreaterThan(world.clock.instant().toString());
    }

    @Test
    void seed000_aMachineThatDoesLittleIsUndrainableAndNamesThePodThatHoldsIt() {
        var testCluster = new SnapshotFixture().pool("agentpool1", onDemand(0)).tier("cpu", "agentpool1");
        testCluster.node("k8s-agentpool1-0", "agentpool1");
        testCluster.cloud("agentpool1", 1, running("agentpool1", "k8s-agentpool1-0"));
        testCluster.pods.add(new PodBuilder(Objects.running("autoscaler", "k8s-agentpool1-0", "cpu", "100m"))
                .editMetadata()
                .addToLabels("openai/do-not-drain", "true")
                .endMetadata()
                .build());

        var verdict = Lifecycle.judge(testCluster.snapshot(), Set.of()).get(0);

        assertThat(verdict.state()).hasToString("under-utilized-undrainable");
        assertThat(verdict.reason()).contains("team/autoscaler").contains("openai/do-not-drain");
    }

    @Test
    void seed003_scalesFromZeroOnAPromiseAloneAndBackToZero() {
        lightGpu();
        world.cluster.add(new PodBuilder(Objects.waiting("train-1", "light-gpu", GPU, "1"))
                .editSpec()
                .addToNodeSelector("type", "spot")
                .endSpec()
                .build());
        world.seconds(35);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
        assertThat(world.placed()).isEqualTo(1);

        world.finishAllJobs();
        world.seconds(MINUTE);
        assertThat(world.cloud.target("light-spot")).isZero();
    }

    @Test
    void seed003_aPoolThatBeganWithOneMachineShrinksToNone() throws Exception {
        var pool = spot(1).idleAfter("10s");
        world.pool("k8s-gencanada", pool).tier("gpu", "k8s-gencanada");
        world.cloud.grow(Pool.of("k8s-gencanada", pool.spec()), 0, 1);

        world.seconds(2 * MINUTE);

        assertThat(world.nodesOf("k8s-gencanada")).isZero();
        assertThat(world.cloud.target("k8s-gencanada")).isZero();
    }

    @Test
    void seed003_eachPoolHasItsOwnMaximum() {
        var testCluster = new SnapshotFixture()
                .pool("small", spot(1).max(2))
                .pool("large", onDemand(4).max(5))
                .tier("one", "small")
                .tier("four", "large")
                .waiting(9, "one", "one", GPU, "1")
                .waiting(9, "four", "four", GPU, "4");

        assertThat(Planner.plan(testCluster.snapshot()).growths())
                .extracting(growth -> growth.pool().name() + " " + growth.to())
                .containsExactlyInAnyOrder("small 2", "large 5");
    }

    @Test
    void seed003_theMachineOfADeletedNodeIsNotLeftRunning() {
        world.pool("gpu", spot(1).provisionTimeout("40s")).tier("gpu", "gpu");
        world.waiting(1, "train", "gpu", GPU, "1");
        world.seconds(35);
        world.machinesNeverJoin = true;
        world.cluster.pods.clear();
        world.cluster.nodes.clear();
        world.seconds(MINUTE + 2); // the node has a minute to join again

        assertThat(world.cloud.machines("gpu")).isEmpty();
        assertThat(world.cloud.target("gpu")).isZero();
    }

    @Test
    void seed003_theNodeOfAMachineThatIsGoneIsMarkedAtOnceAndThenDeleted() {
        lightGpu();
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.seconds(70);
        var node = evictByCloud("light-spot");
        world.seconds(2);
        assertThat(world.cluster.changes).contains("annotate %s trainyard.dev/missing-since".formatted(node));

        world.seconds(MINUTE + 2);
        assertThat(world.cluster.changes).contains("delete " + node);
    }

    /**
     * The controller creates the pods of a reclaimed machine again. They get a spot machine, or an on-demand machine if there is no spot.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void seed003_whatALowPriorityMachineTookWithItIsServedAgain(boolean spotIsLeft) {
        lightGpu();
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.seconds(70);
        var node = evictByCloud("light-spot");
        world.cluster.nodes.remove(node);
        world.cluster.pods.clear();
        if (!spotIsLeft) {
            world.cloud.capacity.put("light-spot", 0);
        }
        world.waiting(1, "again", "light-gpu", GPU, "1");
        world.seconds(40);

        assertThat(world.placed()).isEqualTo(1);
        assertThat(world.nodesOf("light-ondemand")).isEqualTo(spotIsLeft ? 0 : 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "azure:///subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachineScaleSets/k8s-gencanada-10448498-vmss/virtualMachines/0",
                "azure:////AABBCCDD-1122-3344-5566-77889900AABB",
                "aws:///ap-northeast-1a/i-0123456789abcdef0",
                "gce://project/zone/name",
                "",
                "nonsense"
            })
    void seed003_aNodeWithAnyProviderIdStopsNobody(String providerId) {
        lightGpu();
        world.cluster.nodes.put("odd", odd(providerId));
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.seconds(35);

        assertThat(world.placed()).isEqualTo(1);
        assertThat(world.cluster.nodes).containsKey("odd");
        assertThat(world.cluster.changes).noneMatch(change -> change.endsWith(" odd"));
    }

    @Test
    void seed003_aTrainingGetsALowPriorityMachineAndOtherWorkNever() {
        world.pool("k8s-gpu-spot", spot(1))
                .pool("k8s-general", onDemand(0))
                .tier("gpu", "k8s-gpu-spot")
                .tier("general", "k8s-general");
        world.waiting(1, "train", "gpu", GPU, "1").waiting(3, "web", null, "cpu", "1");
        world.seconds(35);

        assertThat(world.cloud.calls).containsExactlyInAnyOrder("grow k8s-gpu-spot 0->1", "grow k8s-general 0->1");
    }

    @Test
    void seed003_whenLowPriorityIsNotToBeHadOnDemandIsAskedInTheRoundThatSeesIt() {
        lightGpu();
        world.cloud.capacity.put("light-spot", 0);
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.second();
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");

        world.second(); // the failure becomes visible
        assertThat(world.cloud.calls)
                .containsExactly("grow light-spot 0->1", "withdraw light-spot 1->0", "grow light-ondemand 0->1");
    }

    /** Nothing fails, but no machine is delivered. The tier allows three minutes. */
    @Test
    void seed003_whenLowPriorityDoesNotComeInTimeOnDemandIsAsked() {
        lightGpu();
        world.machinesNeverJoin = true;
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.seconds(3 * MINUTE - 5);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");

        world.seconds(10);
        assertThat(world.cloud.calls).contains("grow light-ondemand 0->1");
    }

    @Test
    void seed003_whenLowPriorityIsBackNewPodsGoThereAndOthersStayWhereTheyAre() {
        lightGpu();
        world.cloud.capacity.put("light-spot", 0);
        world.waiting(1, "train", "light-gpu", GPU, "1");
        world.seconds(40);
        assertThat(world.nodesOf("light-ondemand")).isEqualTo(1);

        world.cloud.capacity.clear();
        world.seconds(5 * MINUTE);
        world.waiting(1, "later", "light-gpu", GPU, "1");
        world.seconds(40);

        assertThat(world.nodesOf("light-spot")).isEqualTo(1);
        assertThat(world.cluster.pods.get("train-1").getSpec().getNodeName()).startsWith("light-ondemand");
    }

    @Test
    void seed003_threeIdleMastersAreNeverTouched() {
        lightGpu();
        for (int i = 0; i < 3; i++) {
            var master = Objects.node("k8s-master-" + i, "light-spot", spot(1).spec());
            master.getMetadata().getLabels().put("node-role.kubernetes.io/control-plane", "");
            world.cluster.nodes.put("k8s-master-" + i, master);
        }
        world.seconds(20 * MINUTE);

        assertThat(world.cluster.nodes).hasSize(3);
        assertThat(world.cluster.changes).noneMatch(change -> change.contains("k8s-master"));
        assertThat(world.cloud.calls).isEmpty();
    }

    @Test
    void seed004_twoHundredReplicasOnMachinesForThirtyAreSeven() {
        assertThat(growthFor(200, 100)).isEqualTo(7);
    }

    @Test
    void seed004_aGroupOfAtMostTenNeverGetsMore() {
        assertThat(growthFor(400, 10)).isEqualTo(10);
    }

    @Test
    void seed004_aGroupOfAtLeastOneKeepsOneForEver() throws Exception {
        var pool = onDemand(1).min(1).max(10).idleAfter("10s");
        world.pool("gpu-nodes", pool).tier("gpu", "gpu-nodes");
        world.seconds(20 * MINUTE);

        assertThat(world.nodesOf("gpu-nodes")).isEqualTo(1);
    }

    @Test
    void seed004_withoutSpareMachinesAllIdleOnesGo() {
        lightGpu();
        world.waiting(5, "train", "light-gpu", GPU, "1");
        world.seconds(35);
        world.finishAllJobs();
        world.seconds(2 * MINUTE);

        assertThat(world.cluster.nodes).isEmpty();
    }

    /** {@code units_needed: 7, units_requested: 7, Desired 8, currently at 1}. */
    @Test
    void seed004_bothWhatIsNeededAndWhatIsAskedForIsSaid() {
        assertThat(growth(8, 10)).contains("grows from 1 to 8 machines (7 requested, 7 needed)");
        assertThat(growth(8, 5)).contains("grows from 1 to 5 machines (4 requested, 7 needed)");
    }

    @Test
    void seed004_eachPodIsToldThatAMachineIsAskedForIt() {
        lightGpu();
        world.waiting(3, "train", "light-gpu", GPU, "1");
        world.second();

        for (var pod : List.of("train-1", "train-2", "train-3")) {
            assertThat(world.eventsOf(pod))
                    .singleElement()
                    .asString()
                    .startsWith(pod + " ScaleUp: pool light-spot grows from 0 to 3 machines (3 requested, 3 needed)");
        }
    }

    private void lightGpu() {
        world.pool("light-spot", spot(1).idleAfter("10s"))
                .pool("light-ondemand", onDemand(1).idleAfter("10s"))
                .tier("light-gpu", "light-spot", "light-ondemand");
    }

    private void threePools() {
        world.pool("d2-v2", onDemand(0))
                .pool("nc6", onDemand(1))
                .pool("nc24", onDemand(4))
                .tier("cpu", "d2-v2")
                .tier("light", "nc6")
                .tier("heavy", "nc24");
    }

    private static Pod training(String name, String cpu) {
        return Objects.waiting(name, "light-gpu", GPU, "1", "cpu", cpu);
    }

    private static Pod marked(String name, String mark, String value) {
        return new PodBuilder(training(name, "100m"))
                .editMetadata()
                .addToLabels(mark, value)
                .endMetadata()
                .build();
    }

    private static Pod ofDaemonSet(String name, String node) {
        return new PodBuilder(Objects.running(name, node, "cpu", "100m"))
                .editMetadata()
                .editOwnerReference(0)
                .withKind("DaemonSet")
                .endOwnerReference()
                .endMetadata()
                .build();
    }

    private static Machine running(String pool, String name) {
        return SnapshotFixture.machine(pool, name, Machine.State.RUNNING, Objects.NOON);
    }

    private static Node odd(String providerId) {
        var node = Objects.node("odd", "no-pool", spot(1).spec());
        node.getMetadata().setLabels(Map.of());
        node.getSpec().setProviderID(providerId);
        return node;
    }

    /** Reclaims the pool's one machine, as a cloud does with a low-priority one: its node is not Ready any more. */
    private String evictByCloud(String pool) {
        var node = world.cluster.nodes.keySet().iterator().next();
        var machine = SnapshotFixture.machine(pool, node, Machine.State.RUNNING, Objects.NOON);
        world.cloud.terminate(Pool.of(pool, spot(1).spec()), List.of(machine));
        world.cluster.nodes.computeIfPresent(
                node,
                (name, before) -> new NodeBuilder(before)
                        .editStatus()
                        .withConditions()
                        .endStatus()
                        .build());
        return node;
    }

    /** Returns how many machines the pool will have for replicas without requests. */
    private static int growthFor(int replicas, int max) {
        var testCluster = new SnapshotFixture()
                .pool("gpu-nodes", onDemand(1).max(max).holding("pods", "30"))
                .tier("nginx", "gpu-nodes")
                .waiting(replicas, "nginx", "nginx");
        return Planner.plan(testCluster.snapshot()).growths().get(0).to();
    }

    /** Returns the message about the growth of a pool with one full machine, for this many pods of one machine each. */
    private String growth(int pods, int max) {
        var testCluster =
                new SnapshotFixture().pool("gpu-nodes", onDemand(1).max(max)).tier("gpu", "gpu-nodes");
        testCluster.node("ip-172-20-41-58", "gpu-nodes").running("first", "ip-172-20-41-58", GPU, "1");
        testCluster.cloud("gpu-nodes", 1, running("gpu-nodes", "ip-172-20-41-58"));
        testCluster.waiting(pods - 1, "nginx", "gpu", GPU, "1");
        return Planner.plan(testCluster.snapshot()).growths().get(0).toString();
    }
}
