package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.NOON;
import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rounds of a scaler for a training of ten hours that began at noon, with a deadline ten hours after that work. */
class DeadlineRoundTest {

    private static final Map<String, String> DEADLINE =
            Map.of(Names.DEADLINE, "2026-01-02T08:00:00Z", Names.WORK, "10h", Names.RESTART_COST, "30m");

    private final ScalerFixture world = new ScalerFixture()
            .pool("spot", spot(1).idleAfter("30s"))
            .pool("ondemand", onDemand(1).idleAfter("30s"))
            .tier("gpu", "spot", "ondemand");

    @BeforeEach
    void trainingRunsOnSpotMachine() {
        training("train-1", DEADLINE);
        world.seconds(60);
        assertThat(world.cluster.pods.get("train-1").getSpec().getNodeName()).isEqualTo("spot-0001");
        world.cluster.changePod(
                "train-1",
                pod -> pod.editStatus().withStartTime(NOON.toString()).endStatus());
    }

    @Test
    void afterReclaimTheNextPodWaitsForSpotUntilTheLineIsReached() {
        reclaimAfter(Duration.ofMinutes(150));
        world.seconds(200);
        // Two of the ten hours are kept, and the line reaches two hours of work four hours after noon.
        assertThat(world.cloud.target("ondemand")).isZero();
        assertThat(world.eventsOf("train-2"))
                .last()
                .asString()
                .contains("pool ondemand is not asked before 2026-01-01T16:00:00Z");
        assertThat(world.cluster.pods.get("train-2").getMetadata().getAnnotations())
                .containsEntry(Names.PROGRESS, "2h, since 2026-01-01T12:00:00Z");

        world.clock.move(Duration.between(world.clock.instant(), Instant.parse("2026-01-01T15:59:50Z")));
        var before = world.round();
        assertThat(before.next())
                .hasValueSatisfying(next -> assertThat(next).isBeforeOrEqualTo(Instant.parse("2026-01-01T16:00:00Z")));
        assertThat(world.cloud.target("ondemand")).isZero();
        world.seconds(12);
        assertThat(world.cloud.target("ondemand")).isEqualTo(1);
    }

    @Test
    void progressIsWrittenAfterNoticesAndOnlyIfTimeIsLeft() {
        training("train-0", DEADLINE);
        world.waiting(1, "other", "gpu", "nvidia.com/gpu", "1");
        world.seconds(60);
        var noticed = world.cluster.pods.get("other-1").getSpec().getNodeName();
        world.cluster.changePod(
                "train-0",
                pod -> pod.editStatus().withStartTime(NOON.toString()).endStatus());
        var lost = world.cluster.pods.get("train-0").getSpec().getNodeName();
        reclaimAfter(Duration.ofMinutes(150));
        world.cloud.machines("spot").remove(lost);
        world.cluster.nodes.remove(lost);
        world.cluster.pods.remove("train-0");
        training("train-3", DEADLINE);
        world.cluster.nodes.computeIfPresent(
                noticed,
                (name, node) -> new NodeBuilder(node)
                        .editSpec()
                        .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, null)
                        .endSpec()
                        .build());
        world.cluster.changes.clear();
        world.cluster.interruptWith(() -> world.clock.move(Duration.ofSeconds(3)));

        assertThat(world.round().next())
                .hasValueSatisfying(next -> assertThat(next).isBeforeOrEqualTo(world.clock.instant()));
        assertThat(world.cluster.changes)
                .filteredOn(change -> change.startsWith("annotate pod "))
                .containsExactly(
                        "annotate pod team/other-1 trainyard.dev/ends-at",
                        "annotate pod team/train-2 trainyard.dev/progress");

        world.round();
        assertThat(world.cluster.changes).contains("annotate pod team/train-3 trainyard.dev/progress");
    }

    @Test
    void anotherScalerWaitsToo() {
        reclaimAfter(Duration.ofMinutes(150));
        world.seconds(10);
        world.restart();
        world.seconds(60);

        assertThat(world.cloud.target("ondemand")).isZero();
    }

    @Test
    void getsSpotMachineAsSoonAsThereIsOneWhileItWaits() {
        reclaimAfter(Duration.ofMinutes(150));
        world.seconds(60);
        world.cloud.capacity.clear();
        world.seconds(300);

        assertThat(world.cluster.pods.get("train-2").getSpec().getNodeName()).isEqualTo("spot-0002");
        assertThat(world.cloud.target("ondemand")).isZero();
    }

    @Test
    void getsOnDemandMachineIfTheTimeLeftIsShortThoughThereAreSpotMachines() {
        reclaimAfter(Duration.ofMinutes(30));
        world.cloud.capacity.clear();
        world.clock.move(Duration.between(world.clock.instant(), Instant.parse("2026-01-01T21:00:00Z")));
        world.seconds(300);

        assertThat(world.cluster.pods.get("train-2").getSpec().getNodeName()).startsWith("ondemand-");
    }

    @Test
    void invalidDeadlineIsReportedOnThePodWhichIsTreatedLikeOthers() {
        reclaimAfter(Duration.ofMinutes(150));
        world.cluster.pods.remove("train-2");
        training("train-3", Map.of(Names.DEADLINE, "tomorrow", Names.WORK, "10h"));
        world.seconds(240);

        assertThat(world.eventsOf("train-3"))
                .anySatisfy(
                        event -> assertThat(event)
                                .contains("InvalidDeadline")
                                .contains(
                                        "annotation trainyard.dev/deadline: 'tomorrow' is not a time such as 2026-01-02T08:00:00Z"));
        assertThat(world.cluster.pods.get("train-3").getSpec().getNodeName()).startsWith("ondemand-");
    }

    @Test
    void deadlineThatTheTierDoesNotAllowIsReportedOnThePod() {
        reclaimAfter(Duration.ofMinutes(150));
        world.cluster.tier(
                "gpu",
                TrainingTierSpec.builder(List.of("spot", "ondemand"))
                        .resumable(true)
                        .build());
        world.seconds(240);

        assertThat(world.cluster.pods.get("train-2").getSpec().getNodeName()).startsWith("ondemand-");
        assertThat(world.eventsOf("train-2"))
                .anySatisfy(event ->
                        assertThat(event).contains("InvalidDeadline").contains("tier gpu does not allow deadlines"));
    }

    /** Lets the training run, and takes its machine away. Its Job creates another pod, but no spot machine is left. */
    private void reclaimAfter(Duration ran) {
        world.clock.move(Duration.between(world.clock.instant(), NOON.plus(ran)));
        world.round();
        world.cloud.capacity.put("spot", 0);
        world.cloud.machines("spot").remove("spot-0001");
        world.cluster.nodes.remove("spot-0001");
        world.cluster.pods.remove("train-1");
        world.round();
        training("train-2", DEADLINE);
    }

    private void training(String name, Map<String, String> annotations) {
        world.cluster.pods.put(
                name,
                new PodBuilder(Objects.waiting(name, "gpu", "nvidia.com/gpu", "1"))
                        .editMetadata()
                        .withCreationTimestamp(world.clock.instant().toString())
                        .addToAnnotations(annotations)
                        .endMetadata()
                        .build());
    }
}
