package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Machines that do not help the pods that they were requested for are not requested again. */
class BrakeTest {

    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final int MINUTE = 60;
    private static final int HOUR = 60 * MINUTE;

    private final ScalerFixture world = new ScalerFixture()
            .pool("first", onDemand(1).idleAfter("10s"))
            .pool("second", onDemand(1).idleAfter("10s"))
            .tier("both", "first", "second")
            .tier("one", "first");

    @Test
    void triesEachPoolOnceWithASpreadOverALabelThatItsNodesLack() {
        waiting(3, "spread", "both", BrakeTest::spread);
        world.seconds(HOUR);

        assertThat(world.cloud.calls)
                .filteredOn(call -> call.startsWith("grow"))
                .containsExactly("grow first 0->1", "grow second 0->1");
        assertThat(world.events)
                .anyMatch(
                        event -> event.startsWith("spread-1 NotPlaceable") && event.contains("missing required label"));
    }

    @Test
    void doesNotTryAgainAfterARestart() {
        waiting(1, "spread", "one", BrakeTest::spread);
        world.seconds(5 * MINUTE);
        world.cluster.pods.clear();
        world.restart();
        waiting(1, "again", "one", BrakeTest::spread);
        world.seconds(5 * MINUTE);

        assertThat(world.cloud.everMade()).isEqualTo(1);
    }

    @Test
    void asksForTheOthersAsSoonAsOneNodeHasShownTheLabel() {
        world.asJoined = node -> labelled(node, ZONE, "a");
        waiting(3, "spread", "one", BrakeTest::spread);
        world.seconds(5 * MINUTE);

        assertThat(world.cloud.calls).containsExactly("grow first 0->1", "grow first 1->3");
        assertThat(world.placed()).isEqualTo(3);

        world.finishAllJobs();
        world.seconds(2 * MINUTE);
        assertThat(world.cluster.nodes).isEmpty();
        waiting(3, "later", "one", BrakeTest::spread);
        world.second();
        assertThat(world.cloud.calls).last().isEqualTo("grow first 0->3");
    }

    @Test
    void stopsWhenMachinesHaveLessThanTheirPoolPromises() {
        world.asJoined = BrakeTest::small;
        world.waiting(1, "train", "one", "nvidia.com/gpu", "1", "memory", "40Gi");
        world.seconds(2 * HOUR);

        assertThat(world.cloud.everMade()).isEqualTo(1);
        assertThat(world.cluster.nodes).isEmpty();
        assertThat(world.eventsOf("train-1")).last().asString().contains("first-0001", "Insufficient memory");
    }

    @Test
    void remembersATemplateWhosePodsAreMadeAnew() {
        world.asJoined = BrakeTest::small;
        world.waiting(1, "train", "one", "nvidia.com/gpu", "1", "memory", "40Gi");
        world.seconds(5 * MINUTE);
        for (int generation = 0; generation < 5; generation++) {
            world.cluster.pods.clear();
            world.restart();
            world.waiting(1, "train-" + generation, "one", "nvidia.com/gpu", "1", "memory", "40Gi");
            world.seconds(5 * MINUTE);
        }
        assertThat(world.cloud.everMade()).isEqualTo(1);
    }

    @Test
    void triesAgainAfterADay() {
        world.asJoined = BrakeTest::small;
        world.waiting(1, "train", "one", "nvidia.com/gpu", "1", "memory", "40Gi");
        world.seconds(5 * MINUTE);
        world.clock.move(Duration.ofHours(24));
        world.seconds(5 * MINUTE);

        assertThat(world.cloud.everMade()).isEqualTo(2);
    }

    @Test
    void triesAgainWhenThePromiseChanges() {
        world.asJoined = BrakeTest::small;
        world.waiting(1, "train", "one", "nvidia.com/gpu", "1", "memory", "40Gi");
        world.seconds(5 * MINUTE);
        var status = world.cluster.pools.get("first").getStatus();
        world.pool("first", onDemand(1).idleAfter("10s").holding("cpu", "7"));
        world.cluster.pools.get("first").setStatus(status);
        world.asJoined = UnaryOperator.identity();
        world.seconds(5 * MINUTE);

        assertThat(world.cloud.everMade()).isEqualTo(2);
        assertThat(world.placed()).isEqualTo(1);
    }

    @Test
    void asksTheNextPoolWhenMachinesOfTheFirstDoNotHelp() {
        world.asJoined = node -> node.getMetadata().getName().startsWith("first") ? small(node) : node;
        world.waiting(1, "train", "both", "nvidia.com/gpu", "1", "memory", "40Gi");
        world.seconds(5 * MINUTE);

        assertThat(world.cloud.calls)
                .filteredOn(call -> call.startsWith("grow"))
                .containsExactly("grow first 0->1", "grow second 0->1");
        assertThat(world.placed()).isEqualTo(1);
    }

    /** The scheduler uses nodes with these signs: none, a recommendation, a reclaim two days ahead, and a reclaim that did not happen. */
    @ParameterizedTest
    @CsvSource(textBlock = """
                    no-sign, ''
                    trainyard.dev/aws-rebalance-recommendation, 'recommended, announced at 2026-01-01T11:00:00Z'
                    trainyard.dev/aws-scheduled-end, 'ends at 2026-01-03T12:00:00Z, announced at 2026-01-01T11:00:00Z'
                    trainyard.dev/aws-scheduled-end, 'ends at 2026-01-01T11:00:00Z, announced at 2026-01-01T10:00:00Z'
                    """)
    void triesLessAndLessOftenWhatTheSchedulerDoesNotPlace(String sign, String value) {
        world.asJoined = node -> new NodeBuilder(node)
                .editMetadata()
                .addToAnnotations(sign, value)
                .endMetadata()
                .build();
        world.neverPlaced = pod -> true;
        world.waiting(2, "odd", "one", "nvidia.com/gpu", "1");
        world.seconds(6 * HOUR);

        // Two machines are requested each time, one for each pod: at once, and after 30 minutes, 1 hour and 2 hours.
        assertThat(world.cloud.everMade()).isEqualTo(8);
        assertThat(world.eventsOf("odd-1"))
                .anyMatch(event -> event.contains("NotPlaceable") && event.contains("the scheduler reports"));
    }

    /** A new process does not know that the node was offered before, and offers it again. */
    @Test
    void whatIsExcludedAlreadyIsNotExcludedForLongerByARestart() {
        world.pool("first", onDemand(1).min(1).idleAfter("10m"));
        world.neverPlaced = pod -> true;
        world.waiting(1, "odd", "one", "nvidia.com/gpu", "1");
        for (int process = 0; process < 5; process++) {
            world.seconds(3 * MINUTE);
            world.restart();
        }

        assertThat(world.cluster.pools.get("first").getStatus().nodes().exclusions())
                .singleElement()
                .satisfies(exclusion -> assertThat(exclusion.failures()).isEqualTo(1));
    }

    @Test
    void requestsAgainForATemplateOfWhichAPodWasPlacedAfterAll() {
        world.pool("first", onDemand(1).idleAfter("10m"));
        world.neverPlaced = pod -> true;
        world.waiting(1, "late", "one", "nvidia.com/gpu", "1");
        world.seconds(70); // the scheduler has ignored an idle node for half a minute
        assertThat(world.cluster.pools.get("first").getStatus().nodes().exclusions())
                .hasSize(1);

        world.neverPlaced = pod -> false;
        world.waiting(1, "next", "one", "nvidia.com/gpu", "1");
        world.seconds(MINUTE);
        assertThat(world.placed()).isEqualTo(2);
        assertThat(world.cluster.pools.get("first").getStatus().nodes().exclusions())
                .isNull();
    }

    @Test
    void doesNotTakeANodeThatJoinedBeforeThePodForASign() {
        world.waiting(1, "train", "one", "nvidia.com/gpu", "1");
        world.seconds(40);
        world.cluster.pods.clear();
        world.cluster.nodes.replaceAll((name, node) -> small(node));
        var pod = Objects.waiting("big-1", "one", "nvidia.com/gpu", "1", "memory", "40Gi");
        pod.getMetadata().setCreationTimestamp(world.clock.instant().toString());
        world.cluster.add(pod);
        world.seconds(HOUR);

        assertThat(world.placed()).isEqualTo(1);
    }

    @Test
    void triesEachPoolOnceWhenMachinesOfAllHaveLessThanPromised() {
        world.asJoined = BrakeTest::small;
        world.waiting(1, "train", "both", "nvidia.com/gpu", "1", "memory", "40Gi");
        world.seconds(HOUR);

        assertThat(world.cloud.calls)
                .filteredOn(call -> call.startsWith("grow"))
                .containsExactly("grow first 0->1", "grow second 0->1");
    }

    @Test
    void triesEachPoolOnceForAGangWhenNodesLackAPromisedLabel() {
        world.asJoined = BrakeTest::untyped;
        waiting(
                2,
                "gang",
                "both",
                pod -> new PodBuilder(pod)
                        .editMetadata()
                        .addToAnnotations(Names.GANG, "gang")
                        .addToAnnotations(Names.GANG_SIZE, "2")
                        .endMetadata()
                        .editSpec()
                        .addToNodeSelector("type", "on-demand")
                        .endSpec()
                        .build());
        world.seconds(HOUR);

        assertThat(world.cloud.calls)
                .filteredOn(call -> call.startsWith("grow"))
                .containsExactly("grow first 0->2", "grow second 0->2");
    }

    @Test
    void triesEachPoolOnceWhenNodesLackThePromisedLabelOfAnAffinity() {
        world.asJoined = BrakeTest::untyped;
        waiting(3, "near", "both", BrakeTest::nearTheirOwn);
        world.seconds(HOUR);

        assertThat(world.cloud.calls)
                .filteredOn(call -> call.startsWith("grow"))
                .containsExactly("grow first 0->3", "grow second 0->3");
    }

    @Test
    void excludesNoGpuPoolForCpuPodsThatMayNotUseIt() {
        world.pool("first", onDemand(1).min(1).idleAfter("10m"));
        world.asJoined = BrakeTest::small;
        world.waiting(1, "cpu", null, "cpu", "1", "memory", "40Gi");
        world.seconds(2 * MINUTE);

        assertThat(world.cluster.nodes).hasSize(1);
        var nodes = world.cluster.pools.get("first").getStatus().nodes();
        assertThat(nodes.exclusions()).isNull();
    }

    private void waiting(int pods, String prefix, String tier, UnaryOperator<Pod> demand) {
        for (int i = 1; i <= pods; i++) {
            world.cluster.add(demand.apply(Objects.waiting(prefix + "-" + i, tier, "nvidia.com/gpu", "1")));
        }
    }

    private static Pod spread(Pod pod) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToLabels("app", "x")
                .endMetadata()
                .editSpec()
                .addNewTopologySpreadConstraint()
                .withMaxSkew(1)
                .withTopologyKey(ZONE)
                .withWhenUnsatisfiable("DoNotSchedule")
                .withNewLabelSelector()
                .addToMatchLabels("app", "x")
                .endLabelSelector()
                .endTopologySpreadConstraint()
                .endSpec()
                .build();
    }

    private static Pod nearTheirOwn(Pod pod) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToLabels("app", "x")
                .endMetadata()
                .editSpec()
                .withNewAffinity()
                .withNewPodAffinity()
                .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                .withTopologyKey("type")
                .withNewLabelSelector()
                .addToMatchLabels("app", "x")
                .endLabelSelector()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endPodAffinity()
                .endAffinity()
                .endSpec()
                .build();
    }

    private static Node untyped(Node node) {
        return new NodeBuilder(node)
                .editMetadata()
                .removeFromLabels("type")
                .endMetadata()
                .build();
    }

    private static Node labelled(Node node, String label, String value) {
        return new NodeBuilder(node)
                .editMetadata()
                .addToLabels(label, value)
                .endMetadata()
                .build();
    }

    private static Node small(Node node) {
        return new NodeBuilder(node)
                .editStatus()
                .addToAllocatable("memory", new Quantity("16Gi"))
                .endStatus()
                .build();
    }
}
