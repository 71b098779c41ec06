package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The planning of demand if a pool fails, or its state is unknown. */
class PlannerFallbackTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void replacesAMachineThatNeverBecameUsableAfterItsTime() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editMetadata()
                                .addToAnnotations("trainyard.dev/seen-since", Objects.NOON.toString())
                                .endMetadata()
                                .editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus())
                .later(Duration.ofMinutes(15));

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("light-ondemand 0->1");
        assertThat(plan.growths().get(0).insteadOf())
                .extracting(Refusal::message)
                .containsExactly("pool light-spot backs off until 12:16:00: launch-timeout: "
                        + "machine m1 was not usable within 15m: its node was not reporting its 1 GPUs");
    }

    @Test
    void withdrawsNoFurtherThanTheCloudResourceGoes() {
        testCluster
                .lightGpu()
                .waiting(5, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloudFails("light-spot", 5, 2, FailureKind.SPOT_CAPACITY, "no spot machines left");
        assertThat(plan(testCluster).withdrawals())
                .extracting(Withdrawal::from, Withdrawal::to)
                .containsExactly(tuple(5, 2));

        testCluster.cloudFails("light-spot", 2, 2, FailureKind.SPOT_CAPACITY, "no spot machines left");
        assertThat(plan(testCluster).withdrawals()).isEmpty();
    }

    @Test
    void turnsToOnDemandInTheRoundInWhichTheSpotFailureIsRead() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloudFails("light-spot", 1, FailureKind.SPOT_CAPACITY, "no spot machines left");

        var plan = plan(testCluster);

        assertThat(plan.withdrawals()).hasSize(1);
        assertThat(plan.withdrawals().get(0))
                .hasToString(
                        "pool light-spot: the request for 1 of 1 machines is withdrawn: spot-capacity: no spot machines left");
        assertThat(plan.growths().get(0))
                .hasToString(
                        "pool light-ondemand grows from 0 to 1 machines (1 requested, 1 needed) for tier light-gpu, because "
                                + "pool light-spot backs off until 12:01:00: spot-capacity: no spot machines left");
    }

    @Test
    void keepsTheMachinesThatCameWhenTheRestDidNot() {
        testCluster
                .lightGpu()
                .waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloudFails(
                        "light-spot",
                        3,
                        FailureKind.SPOT_CAPACITY,
                        "no spot machines left",
                        SnapshotFixture.machine("light-spot", "m1", State.CREATING, Objects.NOON));

        var plan = plan(testCluster);

        assertThat(plan.withdrawals().get(0).to()).isEqualTo(1);
        assertThat(grown(plan)).isEqualTo("light-ondemand 0->2");
    }

    @Test
    void turnsToOnDemandWhenSpotMachinesAreOwedForTooLong() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1);
        testCluster.observe();

        testCluster.later(Duration.ofMinutes(3).minusSeconds(1));
        assertThat(plan(testCluster).growths()).isEmpty();

        testCluster.later(Duration.ofSeconds(1));
        var plan = plan(testCluster);
        assertThat(plan.withdrawals()).hasSize(1);
        assertThat(grown(plan)).isEqualTo("light-ondemand 0->1");
        assertThat(plan.growths().get(0).insteadOf().get(0).message())
                .contains("the cloud delivered no machine within 3m of the request");
    }

    @Test
    void turnsToOnDemandThoughANodeThatIsNoMachineOfThePoolHasJoinedInItsName() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1);
        testCluster.observe();

        testCluster
                .later(Duration.ofMinutes(2))
                .node(
                        "stranger",
                        "light-spot",
                        node -> node.editMetadata()
                                .withCreationTimestamp(testCluster.now.toString())
                                .endMetadata()
                                .editSpec()
                                .withUnschedulable(true)
                                .endSpec())
                .observe();
        testCluster.later(Duration.ofMinutes(1));
        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void turnsToOnDemandThoughTheClockWasSetBackAfterAnEarlierFailure() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloudFails("light-spot", 0, FailureKind.THROTTLED, "slow down");
        testCluster.observe();
        testCluster
                .later(Duration.ofMinutes(10))
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.RUNNING, testCluster.now));
        testCluster.node("m1", "light-spot").observe();

        testCluster.nodes.clear();
        testCluster.later(Duration.ofMinutes(-90)).cloud("light-spot", 1);
        testCluster.observe();
        testCluster.later(Duration.ofMinutes(3));

        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void turnsToOnDemandWhenASpotMachineRunsAndNoNodeComesOfIt() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.RUNNING, Objects.NOON));
        testCluster.observe();

        testCluster.later(Duration.ofMinutes(3).minusSeconds(1));
        assertThat(plan(testCluster).growths()).isEmpty();

        testCluster.later(Duration.ofSeconds(1));
        var plan = plan(testCluster);
        assertThat(grown(plan)).isEqualTo("light-ondemand 0->1");
        assertThat(plan.growths().get(0).insteadOf().get(0).message())
                .contains("no node joined within 3m of the request, although machines run");
    }

    @Test
    void keepsWaitingForANodeThatHasJoinedAndIsNotUsableYet() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "m1", State.RUNNING, Objects.NOON))
                .node(
                        "m1",
                        "light-spot",
                        node -> node.editStatus()
                                .addToAllocatable("nvidia.com/gpu", new Quantity("0"))
                                .endStatus());
        testCluster.observe();
        testCluster.later(Duration.ofMinutes(4));

        assertThat(plan(testCluster).growths()).isEmpty();
    }

    @Test
    void triesSpotAgainWhenItsBackOffIsOver() {
        testCluster.lightGpu().cloudFails("light-spot", 0, FailureKind.SPOT_CAPACITY, "no spot machines left");
        testCluster.observe();
        testCluster.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1").later(Duration.ofMinutes(1));

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    @Test
    void buysNothingWhileAPoolCannotBeRead() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .unreadable("light-spot");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly(
                        "pool light-spot cannot be read, so its free room is unknown: transient: connection reset");
    }

    @Test
    void doesNotWaitForEverForAPoolThatCannotBeRead() {
        testCluster
                .lightGpu()
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .unreadable("light-spot");
        testCluster.observe();
        testCluster.later(Duration.ofMinutes(3));

        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->1");
    }

    @Test
    void reckonsWithMachinesToComeOfAPoolThatCannotBeReadAnyMore() {
        testCluster
                .lightGpu()
                .waiting(2, "train", "light-gpu", "nvidia.com/gpu", "1")
                .cloud("light-ondemand", 3);
        testCluster.observe();
        testCluster
                .later(Duration.ofSeconds(20))
                .node("m1", "light-ondemand")
                .running("first", "m1", "nvidia.com/gpu", "1");
        testCluster.unreadable("light-ondemand");

        assertThat(plan(testCluster).growths()).as("one of three has joined").isEmpty();

        testCluster.waiting(1, "later", "light-gpu", "nvidia.com/gpu", "1");
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");

        testCluster.observe();
        testCluster.later(Duration.ofMinutes(15));
        assertThat(grown(plan(testCluster))).as("they do not come any more").isEqualTo("light-spot 0->3");
    }
}
