package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Pods with inter-pod constraints: one plan has machines for all of them, each where it is allowed. */
class RelatedPodsTest {

    private static final String HOST = "kubernetes.io/hostname";
    private static final String ZONE = "topology.kubernetes.io/zone";

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void podsThatWantToBeApartGetAMachineEachInOnePlan() {
        cpu().waiting(7, "shy", pod -> apart(pod, HOST));

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("cpu 0->7");
        assertThat(machines(plan)).hasSize(7).doesNotHaveDuplicates();
    }

    @Test
    void fiveHundredPodsThatWantToBeApartArePlannedInNoTime() {
        cpu(onDemand(0).max(600)).waiting(500, "shy", pod -> apart(pod, HOST));
        var snapshot = testCluster.snapshot();
        Planner.plan(snapshot); // excludes the time of the JIT compiler

        long start = System.nanoTime();
        var plan = Planner.plan(snapshot);

        assertThat((System.nanoTime() - start) / 1_000_000).as("milliseconds").isLessThan(1_000);
        assertThat(grown(plan)).isEqualTo("cpu 0->500");
    }

    @Test
    void theIndexOfAnIndexedJobsPodIsNoReasonToPlanForItAlone() {
        cpu().waiting(5, "shy", pod -> apart(pod, HOST));
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editMetadata()
                .addToLabels(
                        "batch.kubernetes.io/job-completion-index",
                        pod.getMetadata().getName())
                .endMetadata()
                .build());
        var snapshot = testCluster.snapshot();

        var demands = Folding.of(snapshot.waiting(), snapshot.neighbours(), snapshot.deadlines(), snapshot.now())
                .demands();

        assertThat(demands).hasSize(1);
        assertThat(demands.get(0).isRelated()).isTrue();
    }

    @Test
    void podsThatNobodyLooksForArePlannedForAsEver() {
        cpu().waiting(2, "plain", pod -> labelled(pod, "other")).waiting(1, "shy", pod -> apart(pod, HOST));
        var snapshot = testCluster.snapshot();

        assertThat(Folding.of(snapshot.waiting(), snapshot.neighbours(), snapshot.deadlines(), snapshot.now())
                        .demands())
                .filteredOn(demand -> demand.size() == 2)
                .noneMatch(Demand::isRelated);
        assertThat(grown(plan())).as("they share the machine").isEqualTo("cpu 0->1");
    }

    @Test
    void aNodeWithoutTheirLikeIsUsedBeforeAMachineIsBought() {
        cpu().running("n1", pod -> labelled(pod, "x"))
                .running("n2", pod -> labelled(pod, "y"))
                .waiting(2, "shy", pod -> apart(pod, HOST));

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("cpu 2->3");
        assertThat(plan.reserved()).containsExactly("n2");
    }

    @Test
    void podsThatRunKeepOthersAway() {
        cpu().running("n1", pod -> apart(labelled(pod, "y"), HOST)).waiting(1, "x", pod -> labelled(pod, "x"));

        assertThat(grown(plan())).isEqualTo("cpu 1->2");
    }

    @Test
    void machinesOnTheirWayAreForOnePodEachAsWell() {
        cpu().waiting(3, "shy", pod -> apart(pod, HOST));
        testCluster.cloud(
                "cpu",
                3,
                IntStream.range(0, 3)
                        .mapToObj(i -> SnapshotFixture.machine("cpu", "m" + i, State.CREATING, Objects.NOON))
                        .toArray(Machine[]::new));

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(machines(plan)).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void aPortOfTheHostMeansOnePodToAMachine() {
        cpu().waiting(3, "ps", RelatedPodsTest::withHostPort);

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("cpu 0->3");
        assertThat(plan.outcomes().values())
                .allSatisfy(outcome -> assertThat(outcome.message()).doesNotContain("not considered"));
    }

    @Test
    void spreadsPodsOverPoolsOfDifferentZones() {
        zones().waiting(5, "even", pod -> spread(pod, ZONE));

        assertThat(grown(plan())).isEqualTo("cpu-a 0->1, cpu-b 0->1");
        var byPool = plan().outcomes().values().stream()
                .collect(Collectors.groupingBy(o -> ((Outcome.Growing) o).pool(), Collectors.counting()));
        assertThat(byPool).isEqualTo(Map.of("cpu-a", 3L, "cpu-b", 2L));
    }

    @Test
    void spreadsPodsOverHosts() {
        cpu().running("n1", pod -> labelled(pod, "x"))
                .running("n2", pod -> labelled(pod, "x"))
                .waiting(4, "even", pod -> spread(pod, HOST));
        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().values().stream()
                        .collect(Collectors.groupingBy(o -> ((Outcome.OnNode) o).node(), Collectors.counting())))
                .isEqualTo(Map.of("n1", 2L, "n2", 2L));
    }

    @Test
    void buysInTheZoneOfThePodsThatTheyWantToBeNear() {
        zones().running("n1", "cpu-b", pod -> labelled(pod, "x")).waiting(2, "near", pod -> near(huge(pod), ZONE));

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("cpu-b 1->3");
        assertThat(plan.growths().get(0).insteadOf())
                .extracting(Refusal::message)
                .containsExactly("a new machine of pool cpu-a would not help: node(s) didn't match pod affinity rules");
    }

    @Test
    void whoeverWantsToBeTogetherIsBoughtMachinesOfOneZone() {
        zones().waiting(4, "together", pod -> near(labelled(huge(pod), "x"), ZONE));

        assertThat(grown(plan())).isEqualTo("cpu-a 0->4");
    }

    @Test
    void saysWhichConstraintKeepsAPodWaiting() {
        zones().waiting(3, "shy", pod -> apart(pod, ZONE));

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("cpu-a 0->1, cpu-b 0->1");
        assertThat(unplaced(plan)).singleElement().satisfies(why -> {
            assertThat(why.reason()).isEqualTo(Outcome.Reason.OTHER_PODS);
            assertThat(why.message())
                    .isEqualTo(
                            "a new machine of pool cpu-a would not help: node(s) didn't match pod anti-affinity rules; "
                                    + "a new machine of pool cpu-b would not help: node(s) didn't match pod anti-affinity rules");
        });
    }

    @Test
    void asksForNoMoreThanTheMaximumAndExplainsTheRest() {
        cpu(onDemand(0).max(3)).waiting(5, "shy", pod -> apart(pod, HOST));

        var plan = plan();

        assertThat(plan.growths().get(0))
                .hasToString("pool cpu grows from 0 to 3 machines (3 requested, 5 needed) for tier cpu");
        assertThat(unplaced(plan))
                .extracting(Unplaced::message)
                .containsOnly("pool cpu can add 3 of the 5 machines needed (maximum 3)");
    }

    @Test
    void takesTheNextPoolWhenOneIsFull() {
        testCluster.pool("light-spot", spot(1).max(2)).pool("light-ondemand", onDemand(1));
        testCluster.tier("cpu", "light-spot", "light-ondemand");
        new Related(testCluster).waiting(5, "shy", pod -> apart(pod, HOST));

        assertThat(grown(plan())).isEqualTo("light-ondemand 0->3, light-spot 0->2");
    }

    @Test
    void doesNotGuessTheZoneOfAMachineWhosePoolPromisesNone() {
        cpu().waiting(2, "shy", pod -> apart(pod, ZONE));

        var plan = plan();

        assertThat(plan.outcomes().values())
                .allSatisfy(
                        outcome -> assertThat(outcome.message())
                                .endsWith(
                                        "(not considered: pod anti-affinity over label topology.kubernetes.io/zone, which no new machine promises)"));
    }

    @Test
    void aGangThatDoesNotFitWholeLeavesNoTrace() {
        cpu(onDemand(0).max(3))
                .waiting(
                        4,
                        "gang",
                        pod -> new PodBuilder(apart(pod, HOST))
                                .editMetadata()
                                .addToAnnotations(Names.GANG, "g")
                                .addToAnnotations(Names.GANG_SIZE, "4")
                                .endMetadata()
                                .editSpec()
                                .withPriority(10)
                                .endSpec()
                                .build());
        new Related(testCluster).waiting(3, "shy", pod -> apart(pod, HOST));

        var plan = plan();

        assertThat(grown(plan)).isEqualTo("cpu 0->3");
        assertThat(plan.outcomes().keySet().stream()
                        .filter(uid -> plan.outcomes().get(uid) instanceof Outcome.Growing))
                .containsExactlyInAnyOrder("uid-shy-1", "uid-shy-2", "uid-shy-3");
    }

    @Test
    void theNodesOfAGangThatDoesNotFitWholeAreThereForOthers() {
        cpu(onDemand(0).max(2))
                .running("n1", pod -> labelled(pod, "y"))
                .waiting(
                        3,
                        "gang",
                        pod -> new PodBuilder(apart(pod, HOST))
                                .editMetadata()
                                .addToAnnotations(Names.GANG, "g")
                                .addToAnnotations(Names.GANG_SIZE, "3")
                                .endMetadata()
                                .editSpec()
                                .withPriority(10)
                                .endSpec()
                                .build())
                .waiting(1, "shy", pod -> apart(pod, HOST));

        var plan = plan();

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.reserved()).containsExactly("n1");
    }

    @Test
    void eachPassOverTheDemandBeginsWithTheNodesAsTheyAre() {
        testCluster
                .pool("a", onDemand(2))
                .pool("b", onDemand(2))
                .tier("both", "b", "a")
                .tier("b", "b");
        for (var pool : List.of("a", "b")) {
            testCluster.node(
                    "n" + pool,
                    pool,
                    node -> node.editStatus()
                            .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                            .endStatus());
            testCluster.cloud(pool, 1, SnapshotFixture.machine(pool, "n" + pool, State.RUNNING, Objects.NOON));
        }
        testCluster.pods.add(apart(Objects.waiting("first", "both", "nvidia.com/gpu", "1", "cpu", "2"), HOST));
        testCluster.pods.add(apart(Objects.waiting("second", "b", "nvidia.com/gpu", "1"), HOST));

        var plan = plan();

        assertThat(plan.growths()).as("the first may have the other machine").isEmpty();
        assertThat(plan.reserved()).containsExactlyInAnyOrder("na", "nb");
    }

    @Test
    void noCheaperMachineIsBoughtWhereOtherPodsHaveSomethingAgainstIt() {
        testCluster
                .pool("cpu-a", onDemand(0).price("2"))
                .pool("cpu-b", onDemand(0).price("1"));
        for (var zone : List.of("a", "b")) {
            testCluster.pools.computeIfPresent("cpu-" + zone, (name, spec) -> inZone(spec, zone));
        }
        new Related(testCluster).running("n1", "cpu-a", pod -> labelled(pod, "x"));
        testCluster.pods.add(near(huge(Objects.waiting("near", null, "cpu", "1")), ZONE));

        assertThat(grown(plan())).isEqualTo("cpu-a 1->2");
    }

    @Test
    void podsWithoutATierThatRunApartGetTheSmallestMachines() {
        for (int cores : new int[] {32, 16, 8, 4, 2}) {
            testCluster.pool("cpu-" + cores, sized(cores));
        }
        for (int i = 0; i < 20; i++) {
            testCluster.pods.add(apart(Objects.waiting("apart-" + i, null, "cpu", "1"), HOST));
        }

        assertThat(grown(plan())).isEqualTo("cpu-2 0->20");
    }

    @Test
    void podsWithOneHostPortAndNoTierGetTheSmallestMachines() {
        for (int cores : new int[] {32, 16, 8, 4, 2}) {
            testCluster.pool("cpu-" + cores, sized(cores));
        }
        for (int i = 0; i < 20; i++) {
            testCluster.pods.add(withHostPort(Objects.waiting("port-" + i, null, "cpu", "1")));
        }

        assertThat(grown(plan())).isEqualTo("cpu-2 0->20");
    }

    @Test
    void podsThatMustShareAHostGetTheCheapestOneThatHoldsThemAll() {
        for (int cores : new int[] {32, 16, 8, 4, 2}) {
            testCluster.pool("cpu-" + cores, sized(cores));
        }
        for (int i = 0; i < 8; i++) {
            var pod = Objects.waiting("together-" + i, null, "cpu", i < 6 ? "1" : "2");
            testCluster.pods.add(near(labelled(pod, "x"), HOST));
        }

        assertThat(grown(plan())).isEqualTo("cpu-16 0->1");
    }

    @Test
    void podsThatMustShareAHostGetOneThatHasTheDevicesOfAll() {
        testCluster.pool("cpu-4", sized(4)).pool("device-8", sized(8).holding("example.com/device", "1"));
        testCluster.pods.add(near(labelled(Objects.waiting("first", null, "cpu", "2"), "x"), HOST));
        testCluster.pods.add(
                near(labelled(Objects.waiting("second", null, "cpu", "1", "example.com/device", "1"), "x"), HOST));

        assertThat(grown(plan())).isEqualTo("device-8 0->1");
    }

    @Test
    void podsThatMustShareAHostWithAnEndlessRequestGetTheLargest() {
        testCluster.pool("cpu-4", sized(4)).pool("cpu-2", sized(2));
        for (int i = 0; i < 5; i++) {
            var pod = Objects.waiting("together-" + i, null, "cpu", i < 3 ? "1" : "9223372036854775");
            testCluster.pods.add(near(labelled(pod, "x"), HOST));
        }

        assertThat(grown(plan())).isEqualTo("cpu-4 0->1");
    }

    @Test
    void podsThatSpreadOverZonesKeepTheZonesOfTheirMachines() {
        for (var zone : List.of("a", "b")) {
            testCluster.pool("large-" + zone, sized(32)).pool("small-" + zone, sized(zone.equals("a") ? 2 : 4));
            for (var size : List.of("large-", "small-")) {
                testCluster.pools.computeIfPresent(size + zone, (name, spec) -> inZone(spec, zone));
            }
        }
        for (int i = 0; i < 4; i++) {
            testCluster.pods.add(apart(spread(Objects.waiting("spread-" + i, null, "cpu", "1"), ZONE), HOST));
        }

        assertThat(grown(plan())).isEqualTo("small-a 0->2, small-b 0->2");
    }

    /** Returns a pool whose machines have this many cores, at a price in proportion. */
    private static Objects.PoolBuilder sized(int cores) {
        return onDemand(0).holding("cpu", Integer.toString(cores)).price(Integer.toString(cores));
    }

    /** A cluster with a pool {@code cpu} of tier {@code cpu}, and pods of it. */
    private static final class Related {

        private final SnapshotFixture testCluster;

        Related(SnapshotFixture testCluster) {
            this.testCluster = testCluster;
        }

        Related waiting(int count, String prefix, UnaryOperator<Pod> change) {
            for (int i = 1; i <= count; i++) {
                testCluster.pods.add(change.apply(Objects.waiting(prefix + "-" + i, "cpu", "cpu", "100m")));
            }
            return this;
        }

        Related running(String node, UnaryOperator<Pod> change) {
            return running(node, "cpu", change);
        }

        Related running(String node, String pool, UnaryOperator<Pod> change) {
            testCluster.node(
                    node,
                    pool,
                    builder -> builder.editMetadata().addToLabels(HOST, node).endMetadata());
            testCluster.pods.add(change.apply(Objects.running("on-" + node, node, "cpu", "100m")));
            var machines = testCluster.nodes.stream()
                    .filter(n -> pool.equals(n.getMetadata().getLabels().get(Names.POOL)))
                    .map(n -> SnapshotFixture.machine(pool, n.getMetadata().getName(), State.RUNNING, Objects.NOON))
                    .toArray(Machine[]::new);
            testCluster.cloud(pool, machines.length, machines);
            return this;
        }
    }

    private Related cpu() {
        return cpu(onDemand(0));
    }

    private Related cpu(Objects.PoolBuilder pool) {
        testCluster.pool("cpu", pool).tier("cpu", "cpu");
        return new Related(testCluster);
    }

    private Related zones() {
        for (var zone : List.of("a", "b")) {
            testCluster.pool("cpu-" + zone, onDemand(0));
            testCluster.pools.computeIfPresent("cpu-" + zone, (name, spec) -> inZone(spec, zone));
        }
        testCluster.tier("cpu", "cpu-a", "cpu-b");
        return new Related(testCluster);
    }

    private static TrainingPoolSpec inZone(TrainingPoolSpec spec, String zone) {
        var labels = new HashMap<>(spec.promise().labels());
        labels.put(ZONE, zone);
        return new TrainingPoolSpec(
                spec.provider(),
                spec.capacityType(),
                spec.min(),
                spec.max(),
                spec.spare(),
                new PromiseSpec(labels, List.of(), spec.promise().allocatable(), null, null),
                spec.hourlyPrice(),
                spec.provisionTimeout(),
                spec.scaleDown());
    }

    private static Pod labelled(Pod pod, String app) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToLabels("app", app)
                .endMetadata()
                .build();
    }

    private static Pod withHostPort(Pod pod) {
        return new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .addNewPort()
                .withContainerPort(2222)
                .withHostPort(2222)
                .endPort()
                .endContainer()
                .endSpec()
                .build();
    }

    /** Makes the pod so large that a machine holds only one. */
    private static Pod huge(Pod pod) {
        return new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .editResources()
                .addToRequests("cpu", new Quantity("5950m"))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    /** Keeps the pod away from pods with {@code app: x}. A pod without labels gets the label {@code app: x} itself. */
    private static Pod apart(Pod pod, String topology) {
        var labels = pod.getMetadata().getLabels();
        return new PodBuilder(labels == null || labels.isEmpty() ? labelled(pod, "x") : pod)
                .editSpec()
                .withNewAffinity()
                .withNewPodAntiAffinity()
                .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                .withTopologyKey(topology)
                .withNewLabelSelector()
                .addToMatchLabels("app", "x")
                .endLabelSelector()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endPodAntiAffinity()
                .endAffinity()
                .endSpec()
                .build();
    }

    private static Pod near(Pod pod, String topology) {
        return new PodBuilder(pod)
                .editSpec()
                .withNewAffinity()
                .withNewPodAffinity()
                .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                .withTopologyKey(topology)
                .withNewLabelSelector()
                .addToMatchLabels("app", "x")
                .endLabelSelector()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endPodAffinity()
                .endAffinity()
                .endSpec()
                .build();
    }

    private static Pod spread(Pod pod, String topology) {
        return new PodBuilder(labelled(pod, "x"))
                .editSpec()
                .addNewTopologySpreadConstraint()
                .withMaxSkew(1)
                .withTopologyKey(topology)
                .withWhenUnsatisfiable("DoNotSchedule")
                .withNewLabelSelector()
                .addToMatchLabels("app", "x")
                .endLabelSelector()
                .endTopologySpreadConstraint()
                .endSpec()
                .build();
    }

    private Plan plan() {
        return Planner.plan(testCluster.snapshot());
    }

    private static String grown(Plan plan) {
        return plan.growths().stream()
                .map(growth -> "%s %d->%d".formatted(growth.pool().name(), growth.from(), growth.to()))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private static List<String> machines(Plan plan) {
        return plan.outcomes().values().stream()
                .map(outcome -> outcome instanceof Outcome.Growing growing
                        ? growing.pool() + growing.machine()
                        : outcome instanceof Outcome.Upcoming upcoming ? upcoming.pool() + upcoming.machine() : "")
                .toList();
    }

    private static List<Unplaced> unplaced(Plan plan) {
        return plan.outcomes().values().stream()
                .filter(Unplaced.class::isInstance)
                .map(Unplaced.class::cast)
                .toList();
    }
}
