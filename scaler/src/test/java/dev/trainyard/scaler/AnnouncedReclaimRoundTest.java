package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierStatus.ReclaimedJobStatus;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rounds of a scaler, from the notice that a spot machine will be gone until its pod runs on another machine. */
class AnnouncedReclaimRoundTest {

    private static final String TAINT = "aws-node-termination-handler/spot-itn";

    private final ScalerFixture world = new ScalerFixture()
            .pool("spot", Objects.spot(1))
            .pool("ondemand", Objects.onDemand(1))
            .tier("gpu", "spot", "ondemand");

    @BeforeEach
    void start() {
        world.waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        world.seconds(40);
        assertThat(world.cluster.pods.get("train-1").getSpec().getNodeName()).isEqualTo("spot-0001");
        world.cluster.changePod(
                "train-1",
                changed -> changed.editSpec()
                        .withTerminationGracePeriodSeconds(90L)
                        .endSpec());
        world.cluster.changes.clear();
    }

    @Test
    void requestsReplacementTaintsNodeAndEvictsPodInOneRound() {
        taint();
        world.round();

        assertThat(world.cloud.target("spot")).isEqualTo(2);
        assertThat(world.cluster.changes.stream().filter(change -> !change.startsWith("status")))
                .containsExactly(
                        "annotate spot-0001 trainyard.dev/cordoned-since,trainyard.dev/noticed-since",
                        "cordon spot-0001",
                        "evict team/train-1",
                        "annotate pod team/train-1 trainyard.dev/ends-at");
        assertThat(world.cluster.pods.get("train-1").getMetadata().getAnnotations())
                .containsEntry(
                        Names.ENDS_AT, world.clock.instant().plusSeconds(120).toString());
        assertThat(world.eventsOf("spot-0001")).anyMatch(event -> event.startsWith("spot-0001 ReclaimAnnounced: "));
    }

    @Test
    void countsReclaimedPodOnceWithItsGpuTime() {
        assertThat(world.reclaimed("spot")).containsExactly(0, 0);
        world.cluster.changePod(
                "train-1",
                changed -> changed.editStatus()
                        .addNewCondition()
                        .withType("PodScheduled")
                        .withStatus("True")
                        .withLastTransitionTime(world.clock.instant().toString())
                        .endCondition()
                        .endStatus());
        world.seconds(60);
        taint();
        world.seconds(10);

        assertThat(world.reclaimed("spot").get(0)).isEqualTo(1);
        assertThat(world.reclaimed("spot").get(1)).isBetween(60, 62);
    }

    @Test
    void statusOfTheTierListsTheJobAndANewPodLearnsTheNumber() {
        taint();
        world.seconds(2);

        assertThat(reclaimedJobs()).singleElement().satisfies(job -> {
            assertThat(List.of(job.namespace(), job.kind(), job.name())).containsExactly("team", "Job", "job");
            assertThat(job.times()).isEqualTo(1);
        });

        world.restart();
        world.seconds(120);
        assertThat(world.cluster.pods.get("train-1-again").getMetadata().getAnnotations())
                .containsEntry(Names.RECLAIMED_TIMES, "1");
        assertThat(reclaimedJobs()).hasSize(1);
        assertThat(world.cluster.changes)
                .containsOnlyOnce("annotate pod team/train-1-again trainyard.dev/reclaimed-times");
    }

    /** The author of a pod may copy it with its annotations. */
    @ParameterizedTest
    @ValueSource(strings = {"7", "0", "-1", "many", ""})
    void numberThatTheJobNeverHadIsCorrected(String copied) {
        taint();
        world.seconds(2);
        world.cluster.changePod(
                "train-1-again",
                changed -> changed.editMetadata()
                        .addToAnnotations(Names.RECLAIMED_TIMES, copied)
                        .endMetadata());
        world.seconds(120);

        assertThat(world.cluster.pods.get("train-1-again").getMetadata().getAnnotations())
                .containsEntry(Names.RECLAIMED_TIMES, "1");
        assertThat(world.cluster.changes)
                .containsOnlyOnce("annotate pod team/train-1-again trainyard.dev/reclaimed-times");
    }

    @Test
    void reclaimIsWrittenOnceTheStatusCanBeWritten() {
        world.cluster.refusesTierStatuses = true;
        taint();
        world.seconds(2);
        assertThat(reclaimedJobs()).isEmpty();

        world.cluster.refusesTierStatuses = false;
        world.seconds(2);
        assertThat(reclaimedJobs())
                .singleElement()
                .satisfies(job -> assertThat(job.times()).isEqualTo(1));
    }

    private List<ReclaimedJobStatus> reclaimedJobs() {
        return Optional.ofNullable(world.cluster.tiers.get("gpu").getStatus().reclaimedJobs())
                .orElse(List.of());
    }

    @Test
    void countsReclaimedPodOnceInADryRun() {
        world.onlyLook();
        taint();
        world.seconds(10);

        assertThat(world.reclaimed("spot").get(0)).isEqualTo(1);
    }

    @Test
    void countsPodThatIsLostWithoutNotice() {
        world.cloud.machines("spot").remove("spot-0001");
        change(node -> node.editStatus()
                .editMatchingCondition(condition -> condition.getType().equals("Ready"))
                .withStatus("Unknown")
                .withLastTransitionTime(world.clock.instant().toString())
                .endCondition()
                .endStatus());
        world.seconds(60);

        assertThat(world.reclaimed("spot").get(0)).isEqualTo(1);
    }

    @Test
    void runsPodOnReplacementAndMakesPoolSmallerAgain() {
        taint();
        var deadline = world.clock.instant().plusSeconds(120);
        while (world.clock.instant().isBefore(deadline)) {
            world.second();
        }

        assertThat(world.cloud.everMade()).isEqualTo(2);
        assertThat(world.cluster.pods.get("train-1-again").getSpec().getNodeName())
                .isEqualTo("spot-0002");
        assertThat(world.cluster.nodes).containsOnlyKeys("spot-0002");
        assertThat(world.cloud.target("spot")).isEqualTo(1);
    }

    @Test
    void clipsGracePeriodToTheNotice() {
        change(node -> node.editStatus()
                .addNewCondition()
                .withType("VMEventScheduled")
                .withStatus("True")
                .withMessage("Preempt Scheduled: Thu, 01 Jan 2026 12:01:20 GMT. EventId: X")
                .endCondition()
                .endStatus());
        world.round();

        var pod = world.cluster.pods.get("train-1").getMetadata();
        assertThat(world.clock.instant()).isEqualTo("2026-01-01T12:00:40Z");
        assertThat(pod.getDeletionTimestamp()).isEqualTo("2026-01-01T12:01:18Z");
        assertThat(pod.getAnnotations()).containsEntry(Names.ENDS_AT, "2026-01-01T12:01:20Z");
    }

    @Test
    void retriesEvictionThatBudgetRefusesUntilTheDeadline() {
        forbidEviction();
        taint();
        world.seconds(20);

        assertThat(world.cluster.evictions.refused).hasSizeBetween(9, 12);
        assertThat(world.cloud.everMade()).isEqualTo(2);
    }

    @Test
    void putsNodeBackIntoServiceIfTheNoticeIsWithdrawn() {
        forbidEviction();
        taint();
        world.seconds(5);
        change(node -> node.editSpec()
                .removeMatchingFromTaints(taint -> TAINT.equals(taint.getKey()))
                .endSpec());
        world.seconds(2);

        var node = world.cluster.nodes.get("spot-0001");
        assertThat(node.getSpec().getTaints()).isEmpty();
        assertThat(node.getMetadata().getAnnotations()).doesNotContainKeys(Names.REMOVING, Names.NOTICED_SINCE);
        assertThat(world.cluster.pods.get("train-1").getMetadata().getAnnotations())
                .doesNotContainKey(Names.ENDS_AT);
    }

    /** The mark of an operator must not keep the scaler's taint on the node. */
    @Test
    void putsMarkedNodeBackIntoServiceIfTheNoticeIsWithdrawn() {
        change(node -> node.editMetadata()
                .addToAnnotations(Names.DO_NOT_DISRUPT, "true")
                .endMetadata());
        taint();
        world.seconds(1);
        change(node -> node.editSpec()
                .removeMatchingFromTaints(taint -> TAINT.equals(taint.getKey()))
                .endSpec());
        world.seconds(2);

        var node = world.cluster.nodes.get("spot-0001");
        assertThat(node.getSpec().getTaints()).isEmpty();
        assertThat(node.getMetadata().getAnnotations()).doesNotContainKeys(Names.REMOVING, Names.NOTICED_SINCE);
    }

    @Test
    void evictsPodsEvenIfTheTaintCannotBeWritten() {
        var failures = new AtomicInteger();
        world.cluster.interruptWith(() -> {
            boolean cordoned = !world.cluster.changes.isEmpty()
                    && world.cluster
                            .changes
                            .get(world.cluster.changes.size() - 1)
                            .startsWith("cordon");
            if (cordoned && failures.getAndIncrement() == 0) {
                throw new IllegalStateException("the node was changed meanwhile");
            }
        });
        taint();
        world.round();

        assertThat(world.cluster.changes).contains("evict team/train-1");
    }

    @Test
    void waitsUntilStatedTimeIsNear() {
        change(node -> node.editStatus()
                .addNewCondition()
                .withType("VMEventScheduled")
                .withStatus("True")
                .withMessage("Terminate Scheduled: Thu, 01 Jan 2026 12:16:00 GMT. EventId: X")
                .endCondition()
                .endStatus());
        var next = world.round().next();

        assertThat(next).contains(Instant.parse("2026-01-01T12:01:00Z"));
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("evict"));
        world.seconds(21);
        assertThat(world.cluster.changes).contains("evict team/train-1");
    }

    @Test
    void continuesAfterRestart() {
        taint();
        world.round();
        world.clock.move(Duration.ofSeconds(1));
        world.restart();
        world.round();

        assertThat(world.cloud.target("spot")).isEqualTo(2);
        assertThat(world.cluster.nodes.get("spot-0001").getMetadata().getAnnotations())
                .containsEntry(Names.REMOVING, "reclaim-announced, 2026-01-01T12:00:40Z, taint");
    }

    @Test
    void tellsPodToSaveItsStateOnRecommendationAndEvictsNothing() {
        change(node -> node.editStatus()
                .addNewCondition()
                .withType("PreemptionScheduled")
                .withStatus("True")
                .withMessage("SpotRebalanceRecommendation Advisory: .")
                .withLastTransitionTime("2026-01-01T12:00:39Z")
                .endCondition()
                .endStatus());
        world.seconds(3);

        assertThat(world.cluster.pods.get("train-1").getMetadata().getAnnotations())
                .containsEntry(Names.CHECKPOINT_SINCE, "2026-01-01T12:00:39Z");
        assertThat(world.cluster.pods.keySet()).isEqualTo(java.util.Set.of("train-1"));
        assertThat(world.cloud.everMade()).isEqualTo(1);
    }

    /** All machines of a pool at once. The limit of ten removals at a time does not apply. */
    @Test
    void handlesStormInOneRound() {
        world.waiting(14, "more", "gpu", "nvidia.com/gpu", "1");
        world.seconds(40);
        var names = List.copyOf(world.cluster.nodes.keySet());
        assertThat(names).hasSize(15);
        world.cluster.nodes.replaceAll((name, node) -> tainted(new NodeBuilder(node)));
        world.round();

        assertThat(world.cloud.target("spot")).isEqualTo(30);
        assertThat(world.cluster.changes)
                .contains(names.stream().map("cordon "::concat).toArray(String[]::new));
    }

    private void taint() {
        change(AnnouncedReclaimRoundTest::withTaint);
    }

    private static NodeBuilder withTaint(NodeBuilder node) {
        return node.editSpec().addNewTaint("NoSchedule", TAINT, null, "x").endSpec();
    }

    private static Node tainted(NodeBuilder node) {
        return withTaint(node).build();
    }

    /** Makes a disruption budget refuse the eviction of the pod. */
    private void forbidEviction() {
        world.cluster.changePod(
                "train-1",
                changed -> changed.editMetadata().addToLabels("app", "training").endMetadata());
        world.cluster.evictions.budget("training", 0);
    }

    private void change(UnaryOperator<NodeBuilder> change) {
        world.cluster.changeNode("spot-0001", change);
    }
}
