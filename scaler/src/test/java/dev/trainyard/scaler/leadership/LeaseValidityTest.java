package dev.trainyard.scaler.leadership;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.provider.FailureKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time for which an elected scaler acts, and the actions that it must not take afterwards. */
class LeaseValidityTest {

    private long now = -5;
    private final LeaseValidity leaseValidity = new LeaseValidity(() -> now);

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void hasNotBegunBeforeTheLeaseIsHeld() {
        assertThat(leaseValidity.lasts()).isFalse();
    }

    @Test
    void lastsForTenSecondsFromWhenTheLastRenewalWasAskedFor() {
        leaseValidity.renewed(now);
        pass(Duration.ofSeconds(6));
        assertThat(leaseValidity.lasts()).isTrue();
        long asked = now;
        pass(Duration.ofSeconds(3));
        leaseValidity.renewed(asked);
        pass(Duration.ofSeconds(7).minusNanos(1));
        assertThat(leaseValidity.lasts()).isTrue();
        pass(Duration.ofNanos(1));
        assertThat(leaseValidity.lasts()).isFalse();
    }

    @Test
    void lastsThoughTheClockOfTheMachineOverflows() {
        now = Long.MAX_VALUE - 1;
        leaseValidity.renewed(now);
        now = Long.MIN_VALUE;
        assertThat(leaseValidity.lasts()).isTrue();
        pass(Duration.ofSeconds(10));
        assertThat(leaseValidity.lasts()).isFalse();
    }

    @Test
    void endsWhenTheLeaseIsGivenBack() {
        leaseValidity.renewed(now);
        leaseValidity.ended();
        assertThat(leaseValidity.lasts()).isFalse();
    }

    @Test
    void aRoundThatGoesOnAfterwardsBuysNothingAndBlamesNoPool() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.leads = false;
        world.seconds(2);
        assertThat(world.cloud.calls).isEmpty();
        assertThat(world.cluster.changes).isEmpty();
        assertThat(world.events).isEmpty();
        assertThat(world.notices).isEmpty();
        assertThat(world.cutOff).isEqualTo(2);

        world.leads = true;
        world.round();
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
    }

    @Test
    void aRoundThatGoesOnAfterwardsTakesNoOrderBack() {
        world.cloud.capacity.put("light-spot", 0);
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.second();
        world.leads = false;
        world.second();
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");

        world.leads = true;
        world.second();
        assertThat(world.cloud.calls)
                .containsExactly("grow light-spot 0->1", "withdraw light-spot 1->0", "grow light-ondemand 0->1");
    }

    @Test
    void aPoolThatWasGivenUpInARoundThatWasCutOffIsNotAskedAgain() {
        world.cloud.capacity.put("light-spot", 0);
        world.cloud.silent.add("light-spot");
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        cutOffAfter("withdraw light-spot 1->0");
        world.seconds(185);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1", "withdraw light-spot 1->0");

        goOn();
        world.second();
        assertThat(world.cloud.calls)
                .containsExactly("grow light-spot 0->1", "withdraw light-spot 1->0", "grow light-ondemand 0->1");
    }

    @Test
    void aPoolThatRefusedInARoundThatWasCutOffIsNotAskedAgain() {
        world.pool("other-spot", spot(1)).tier("other-gpu", "other-spot");
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1")
                .waiting(1, "other", "other-gpu", "nvidia.com/gpu", "1");
        world.cloud.refusing.put("light-spot", FailureKind.QUOTA);
        world.cloud.interruptWith(() -> world.leads = false);
        world.second();
        assertThat(world.cloud.calls).isEmpty();

        world.cloud.refusing.clear();
        goOn();
        world.second();
        assertThat(world.cloud.calls).containsExactlyInAnyOrder("grow light-ondemand 0->1", "grow other-spot 0->1");
    }

    private void cutOffAfter(String call) {
        world.cloud.interruptWith(() -> world.leads = !world.cloud.calls.contains(call));
    }

    private void goOn() {
        assertThat(world.cutOff).isPositive();
        world.cloud.interruptWith(() -> {});
        world.leads = true;
    }

    @Test
    void noOtherPoolIsAskedThoughTheLeaseIsRenewedWhileAnOrderIsNotSent() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        // The Lease lapses once the request is in the pool's status. The check before the request fails; the Lease is
        // renewed before any later check.
        world.looksUntilRenewed = 1;
        world.cluster.interruptWith(() -> world.leads = !world.cluster.changes.contains("status light-spot"));
        world.second();
        assertThat(world.cluster.changes).contains("status light-spot");
        assertThat(world.cutOff).isEqualTo(1);
        assertThat(world.cloud.calls).isEmpty();

        world.second();
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
    }

    @Test
    void aRoundThatGoesOnAfterwardsEmptiesAndRemovesNothing() {
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(32);
        world.finishAllJobs();
        world.leads = false;
        world.cluster.changes.clear();
        world.seconds(20);
        assertThat(world.cluster.changes).isEmpty();

        world.leads = true;
        world.seconds(12);
        assertThat(world.cluster.changes).contains("cordon light-spot-0001");
        world.leads = false;
        world.cluster.changes.clear();
        world.seconds(20);
        assertThat(world.cluster.changes).isEmpty();
        assertThat(world.cloud.machines("light-spot")).hasSize(1);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }
}
