package dev.trainyard.scaler.loop;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.scaler.FakeCloud;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.ReadingLimit;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.provider.FailureKind;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class RoundTest {

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void runsFortyPodsOnFortyMachinesAndIsLeftWithNone() {
        burst(40);
        world.seconds(35);
        assertThat(world.placed()).isEqualTo(40);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->40");

        world.finishAllJobs();
        world.seconds(60);

        assertThat(world.cloud.everMade()).isEqualTo(40);
        assertThat(world.cloud.machines("light-spot")).isEmpty();
        assertThat(world.nodesOf("light-spot")).isZero();
        assertThat(world.cluster.pools.get("light-spot").getStatus().target()).isZero();
    }

    /** The readers of notices must start even if no round succeeds. */
    @Test
    void announcesItsCatalogueBeforeItFails() {
        world.restartWith(new ReadingLimit() {
            @Override
            public void begin() {
                throw new IllegalStateException("broken");
            }

            @Override
            public <R> Optional<R> read(String key, Supplier<R> reading) {
                return Optional.empty();
            }
        });

        assertThatThrownBy(world::round).hasMessage("broken");

        assertThat(world.configured)
                .singleElement()
                .satisfies(catalogue -> assertThat(catalogue.pools()).containsKey("light-spot"));
    }

    @Test
    void fallsBackInTheRoundThatReadsTheFailureAndReturnsToSpotLater() {
        world.cloud.capacity.put("light-spot", 0);
        burst(1);
        world.second();
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");

        world.second();
        assertThat(world.cloud.calls)
                .containsExactly("grow light-spot 0->1", "withdraw light-spot 1->0", "grow light-ondemand 0->1");
        assertThat(world.events)
                .anyMatch(event -> event.startsWith("train-1 Fallback: pool light-ondemand grows from 0 to 1"));
        assertThat(world.cluster.pools.get("light-spot").getStatus().message())
                .isEqualTo("no capacity (spot), retry at 12:01:02");
        assertThat(world.cluster.pools.get("light-ondemand").getStatus().message())
                .isEqualTo("light-spot backs off: 0 -> 1 for tier light-gpu");

        world.cloud.capacity.clear();
        world.seconds(61);
        world.waiting(1, "later", "light-gpu", "nvidia.com/gpu", "1");
        world.second();
        assertThat(world.cloud.calls).endsWith("grow light-spot 0->1");
        assertThat(world.cloud.everMade()).isEqualTo(2);
    }

    @Test
    void backsOffLongerEachTimeMachinesJoinAndNeverBecomeUsable() {
        var broken = new ScalerFixture()
                .pool("broken", spot(1).provisionTimeout("40s"))
                .tier("t", "broken");
        broken.neverUsable = true;
        broken.waiting(1, "train", "t", "nvidia.com/gpu", "1");
        broken.seconds(170);

        assertThat(broken.cluster.pools.get("broken").getStatus().backOff().failures())
                .isEqualTo(2);
        assertThat(broken.cloud.everMade()).isEqualTo(2);
        assertThat(broken.cloud.machines("broken")).isEmpty();
    }

    @Test
    void asksTheNextPoolAtOnceWhenACloudRefuses() {
        world.cloud.refusing.put("light-spot", FailureKind.QUOTA);
        burst(1);
        world.second();

        assertThat(world.cloud.calls).containsExactly("grow light-ondemand 0->1");
    }

    @Test
    void doesNotAskTheNextPoolWhenItIsOpenWhetherARequestWasAccepted() {
        world.cloud.refusing.put("light-spot", FailureKind.TRANSIENT);
        burst(1);
        world.seconds(2);
        assertThat(world.cloud.calls).isEmpty();

        world.cloud.refusing.clear();
        world.seconds(10);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
    }

    @Test
    void changesNothingForAPoolThatCannotBeRead() {
        burst(2);
        world.seconds(35);
        world.finishAllJobs();
        world.cloud.unreadable.put("light-spot", FailureKind.TRANSIENT);
        world.seconds(60);

        assertThat(world.nodesOf("light-spot")).isEqualTo(2);
        assertThat(world.cloud.machines("light-spot")).hasSize(2);
        var status = world.cluster.pools.get("light-spot").getStatus();
        assertThat(status.target()).isEqualTo(2);
        assertThat(status.message()).isEqualTo("cannot be read: transient: cannot tell");
    }

    @Test
    void aNodeThatNobodyMarksIsNotTakenForOneThatJoinedWhileItsPoolCannotBeRead() {
        burst(1);
        world.seconds(35);
        var annotations =
                world.cluster.nodes.get("light-spot-0001").getMetadata().getAnnotations();
        annotations.remove(ScalerAnnotations.USABLE_SINCE);
        annotations.put("cluster-autoscaler.kubernetes.io/scale-down-disabled", "true");
        world.waiting(1, "later", "light-gpu", "nvidia.com/gpu", "1");
        world.second();
        world.cloud.unreadable.put("light-spot", FailureKind.AUTH);
        world.seconds(10);

        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1", "grow light-spot 1->2");
        assertThat(world.events).noneMatch(event -> event.startsWith("later-1 NotPlaceable"));
    }

    @Test
    void replacesAMachineWhoseNodeIsGoneAtOnceAndOnce() {
        burst(1);
        world.seconds(35);
        assertThat(world.placed()).isEqualTo(1);
        world.neverRejoin.add("light-spot-0001");
        world.cluster.nodes.remove("light-spot-0001");
        world.cluster.pods.clear();
        world.waiting(1, "again", "light-gpu", "nvidia.com/gpu", "1");
        world.second();
        assertThat(world.cloud.calls).last().isEqualTo("grow light-spot 1->2");
        world.restart();
        world.seconds(30 * 60);

        assertThat(world.placed()).isEqualTo(1);
        assertThat(world.cloud.calls)
                .containsExactly(
                        "grow light-spot 0->1", "grow light-spot 1->2", "terminate light-spot [light-spot-0001]");
        var status = world.cluster.pools.get("light-spot").getStatus();
        assertThat(status.backOff()).isNull();
        assertThat(status.nodes().joined()).containsExactly("light-spot-0002");
        assertThat(status.nodes().lost()).isNull();
    }

    @Test
    void keepsAMachineWhoseNodeIsBackWithinAMinute() {
        burst(1);
        world.seconds(35);
        var node = world.cluster.nodes.get("light-spot-0001");
        world.neverRejoin.add("light-spot-0001");
        world.cluster.nodes.remove("light-spot-0001");
        world.seconds(50);
        world.cluster.nodes.put("light-spot-0001", node);
        world.seconds(5 * 60);

        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
        assertThat(world.cluster.pools.get("light-spot").getStatus().nodes().lost())
                .isNull();
    }

    @Test
    void aLeavingMachineDoesNotHastenTheReadsOfAnotherCloud() {
        var clock = new MovedClock();
        var quick = new FakeCloud(clock, ScalerFixture.BOOT);
        quick.attention = Duration.ofMillis(100);
        var provider = new ProviderSpec(null, null, new AwsAutoScalingGroup("eu-west-1", "quick"), null);
        var mixed = new ScalerFixture(clock, () -> Map.of("awsAutoScalingGroup", quick))
                .pool("slow", spot(1).idleAfter("10s"))
                .pool("quick", spot(1), provider, "quick")
                .tier("slow-gpu", "slow");
        mixed.waiting(1, "train", "slow-gpu", "nvidia.com/gpu", "1");
        mixed.seconds(35);
        mixed.finishAllJobs();
        var result = mixed.round();
        for (int second = 0; second < 60 && !terminates(result); second++) {
            clock.move(Duration.ofSeconds(1));
            result = mixed.round();
        }

        assertThat(terminates(result)).isTrue();
        assertThat(result.snapshot().pools()).containsKeys("slow", "quick");
        assertThat(result.next()).contains(clock.instant().plusSeconds(1));
    }

    private static boolean terminates(Round.Result result) {
        return result.verdicts().stream().anyMatch(verdict -> verdict.step() instanceof Verdict.Terminate);
    }

    private void burst(int pods) {
        world.waiting(pods, "train", "light-gpu", "nvidia.com/gpu", "1");
    }
}
