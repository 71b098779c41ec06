package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.NOON;
import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.ledger.BackOff;
import dev.trainyard.scaler.ledger.Debt;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.observe.ProgressMemory;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.provider.FailureKind;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Trainings of ten hours. Some of the work is done. It is noon, they exist since 2:00, and the deadline is at 22:00 unless a test says
 * otherwise, so the line is at five hours. A changeover takes 18 minutes for a launch and 12 for a restart.
 */
class DeadlinePlanTest {

    private static final Instant TEN = NOON.plus(Duration.ofHours(10));

    private final SnapshotFixture testCluster = new SnapshotFixture()
            .pool("spot", spot(1))
            .pool("ondemand", onDemand(1))
            .tier("t", "spot", "ondemand");

    @Test
    void getsSpotMachineIfThereIsOneEvenBehindTheLine() {
        training("a", "1h", TEN.plus(Duration.ofHours(2)));

        assertThat(grown(plan())).isEqualTo("spot 0->1");
    }

    @Test
    void waitsForSpotMachineWhileAheadOfTheLine() {
        stockOut("spot");
        training("a", "6h", TEN);

        assertThat(plan().growths()).isEmpty();
        assertThat(Plans.of(plan(), "a"))
                .isEqualTo(new Outcome.Unplaced(
                        Reason.AHEAD_OF_DEADLINE,
                        "pool spot backs off until 12:05:00: spot-capacity: none left; "
                                + "pool ondemand is not asked before 2026-01-01T14:00:00Z, since the training has enough time until "
                                + "its deadline to wait for a spot machine"));
    }

    @Test
    void getsOnDemandMachineBehindTheLine() {
        stockOut("spot");
        training("a", "4h59m", TEN);

        assertThat(grown(plan())).isEqualTo("ondemand 0->1");
    }

    @ParameterizedTest
    @CsvSource({"PT4H, ondemand 0->1", "PT5H1M, spot 0->1"})
    void getsOnDemandMachineFirstIfTheTimeLeftIsShort(Duration left, String grown) {
        training("a", "6h", NOON.plus(left));

        assertThat(grown(plan())).isEqualTo(grown);
    }

    @Test
    void deadlineThatHasPassedHasNoEffect() {
        training("a", "6h", NOON);

        assertThat(grown(plan())).isEqualTo("spot 0->1");
    }

    @Test
    void getsSpotMachineIfNoOnDemandMachineIsLeft() {
        stockOut("ondemand");
        training("a", "6h", NOON.plus(Duration.ofHours(4)));

        assertThat(grown(plan())).isEqualTo("spot 0->1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void leavesProvisioningSpotMachineAloneIfTheTimeLeftIsShort(boolean related) {
        testCluster.cloud("spot", 1);
        training("a", "6h", NOON.plus(Duration.ofHours(4)));
        relate(related);

        assertThat(grown(plan())).isEqualTo("ondemand 0->1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void usesProvisioningSpotMachineIfNoOnDemandMachineIsLeft(boolean related) {
        stockOut("ondemand");
        testCluster.cloud("spot", 1);
        training("a", "6h", NOON.plus(Duration.ofHours(4)));
        relate(related);

        assertThat(plan().growths()).isEmpty();
        assertThat(Plans.of(plan(), "a"))
                .isInstanceOfSatisfying(
                        Outcome.Upcoming.class,
                        upcoming -> assertThat(upcoming.pool()).isEqualTo("spot"));
    }

    @Test
    void usesFreeOnDemandMachineEvenIfAheadOfTheLine() {
        stockOut("spot");
        testCluster.node("free", "ondemand");
        training("a", "6h", TEN);

        assertThat(Plans.of(plan(), "a")).isInstanceOf(Outcome.OnNode.class);
    }

    @Test
    void leavesMachinesToPodsThatNeedThem() {
        stockOut("spot");
        training("a", "6h", TEN);
        testCluster.waiting(1, "other", "t", "nvidia.com/gpu", "1");

        var plan = plan();
        assertThat(grown(plan)).isEqualTo("ondemand 0->1");
        assertThat(Plans.of(plan, "other-1")).isInstanceOf(Outcome.Growing.class);
        assertThat(Plans.of(plan, "a")).isInstanceOf(Outcome.Unplaced.class);
    }

    @Test
    void doesNotWaitIfTheTierHasNoSpotMachines() {
        testCluster.tier("t", "ondemand");
        training("a", "6h", TEN);
        assertThat(grown(plan())).isEqualTo("ondemand 0->1");

        testCluster.pool("spot", spot(1).max(0)).tier("t", "spot", "ondemand");
        assertThat(grown(plan())).isEqualTo("ondemand 0->1");
    }

    @Test
    void spotOnlyTierGivesSpotMachinesToTheEnd() {
        testCluster.tier("t", "spot");
        training("a", "6h", NOON.plusSeconds(1));

        assertThat(grown(plan())).isEqualTo("spot 0->1");
    }

    @Test
    void deadlineOfPodWithoutTierHasNoEffect() {
        testCluster.tiers.clear();
        training("a", "6h", TEN);
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editMetadata()
                .removeFromAnnotations(Names.TIER)
                .endMetadata()
                .build());

        assertThat(grown(plan())).as("both pools cost the same").isEqualTo("ondemand 0->1");
    }

    @Test
    void deadlineHasNoEffectIfTheTierDoesNotAllowIt() {
        testCluster.tiers.put("t", refusing());
        training("a", "6h", NOON.plus(Duration.ofHours(4)));

        assertThat(grown(plan())).isEqualTo("spot 0->1");
    }

    @Test
    void urgentMemberGivesNoOnDemandMachineToMemberWhoseTierDoesNotAllowIt() {
        testCluster.tiers.put("other", refusing());
        training("a", "6h", NOON.plus(Duration.ofHours(4)));
        training("b", "6h", NOON.plus(Duration.ofHours(4)));
        testCluster.pods.replaceAll(pod -> pod.getMetadata().getName().equals("b")
                ? new PodBuilder(pod)
                        .editMetadata()
                        .addToAnnotations(Names.TIER, "other")
                        .endMetadata()
                        .build()
                : pod);
        makeGang();

        assertThat(grown(plan())).isEqualTo("ondemand 0->1, spot 0->1");
    }

    @Test
    void waitsForSpotMachineEvenIfAnEquallyPreferredOnDemandPoolIsCheaper() {
        testCluster
                .pool("spot", spot(8).price("8"))
                .pool("ondemand", onDemand(1).price("3"));
        testCluster.tiers.put("t", Objects.tier(List.of("spot", "ondemand"), "spot", "ondemand"));
        training("a", "6h", TEN);

        assertThat(grown(plan())).isEqualTo("spot 0->1");
    }

    private static TrainingTierSpec refusing() {
        return new TrainingTierSpec(List.of("spot", "ondemand"));
    }

    @Test
    void wholeGangWaits() {
        stockOut("spot");
        training("a", "6h", TEN);
        training("b", "6h", TEN);
        makeGang();

        assertThat(plan().growths()).isEmpty();
        assertThat(Plans.of(plan(), "b"))
                .isInstanceOfSatisfying(
                        Outcome.Unplaced.class, why -> assertThat(why.reason()).isEqualTo(Reason.AHEAD_OF_DEADLINE));
    }

    @ParameterizedTest
    @CsvSource({"PT7H, 4h", "PT8H, 4h", "PT10H, 4h"})
    void gangDoesNotWaitIfOneMemberCannot(Duration left, String doneByOther) {
        stockOut("spot");
        training("a", "8h", NOON.plus(left));
        training("b", doneByOther, NOON.plus(left));
        makeGang();

        assertThat(grown(plan())).isEqualTo("ondemand 0->2");
    }

    @Test
    void gangWithOneUrgentMemberGetsOnDemandMachinesFirst() {
        training("a", "8h", NOON.plus(Duration.ofHours(7)));
        training("b", "4h", NOON.plus(Duration.ofHours(7)));
        makeGang();

        assertThat(grown(plan())).isEqualTo("ondemand 0->2");
    }

    @Test
    void memberWithoutDeadlineWaitsWithItsGang() {
        stockOut("spot");
        training("a", "6h", TEN);
        testCluster.waiting(1, "launcher", "t", "nvidia.com/gpu", "1");
        makeGang();

        assertThat(plan().growths()).isEmpty();
        assertThat(Plans.of(plan(), "launcher-1"))
                .isInstanceOfSatisfying(
                        Outcome.Unplaced.class, why -> assertThat(why.reason()).isEqualTo(Reason.AHEAD_OF_DEADLINE));
    }

    private void makeGang() {
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations(Map.of(Names.GANG, "g", Names.GANG_SIZE, "2"))
                .endMetadata()
                .build());
    }

    private void training(String name, String done, Instant deadline) {
        testCluster.pods.add(new PodBuilder(Objects.waiting(name, "t", "nvidia.com/gpu", "1"))
                .editMetadata()
                .addToAnnotations(Map.of(
                        Names.DEADLINE,
                        deadline.toString(),
                        Names.WORK,
                        "10h",
                        Names.RESTART_COST,
                        "12m",
                        Names.PROGRESS,
                        done + ", since 2026-01-01T02:00:00Z"))
                .endMetadata()
                .build());
    }

    /** Keeps all pods of the cluster on different nodes, if wanted. */
    private void relate(boolean wanted) {
        if (wanted) {
            testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                    .editMetadata()
                    .addToLabels("app", "a")
                    .endMetadata()
                    .editSpec()
                    .withNewAffinity()
                    .withNewPodAntiAffinity()
                    .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                    .withNewLabelSelector()
                    .addToMatchLabels("app", "a")
                    .endLabelSelector()
                    .withTopologyKey("kubernetes.io/hostname")
                    .endRequiredDuringSchedulingIgnoredDuringExecution()
                    .endPodAntiAffinity()
                    .endAffinity()
                    .endSpec()
                    .build());
        }
    }

    private void stockOut(String pool) {
        var backOff = new BackOff(NOON.plusSeconds(300), FailureKind.SPOT_CAPACITY, "none left", 3);
        testCluster.ledgers.put(pool, new PoolLedger(Optional.of(backOff), NOON, Debt.NONE, Optional.empty(), 0));
    }

    private Plan plan() {
        return Planner.plan(new ProgressMemory(() -> 0).on(testCluster.snapshot(), testCluster.pods));
    }
}
