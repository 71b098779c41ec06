package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.provider.FailureKind;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A scaler that dies at any point loses nothing and requests nothing twice. */
class RestartTest {

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void remembersABackOffOverARestart() {
        world.cloud.capacity.put("light-spot", 0);
        burst(1);
        world.seconds(2);
        world.restart();
        world.waiting(1, "later", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(2);

        assertThat(world.cloud.calls)
                .filteredOn(call -> call.startsWith("grow light-spot"))
                .hasSize(1);
        assertThat(world.cluster.pools.get("light-spot").getStatus().backOff().failures())
                .isEqualTo(1);
    }

    @Test
    void remembersMachinesToComeOfAPoolThatCannotBeReadOverARestart() {
        world.cloud.capacity.put("light-spot", 0);
        burst(2);
        world.seconds(2);
        world.cloud.capacity.clear();
        world.cloud.unreadable.put("light-ondemand", FailureKind.AUTH);
        world.restart();
        world.seconds(90); // the back-off of the spot pool is over
        assertThat(world.cloud.calls)
                .containsExactly("grow light-spot 0->2", "withdraw light-spot 2->0", "grow light-ondemand 0->2");
        assertThat(world.placed()).isEqualTo(2);
    }

    @Test
    void remembersAnOrderWhoseScalerDiedBeforeTheAnswer() {
        world.machinesNeverJoin = true;
        world.cloud.capacity.put("light-spot", 0);
        burst(2);
        world.second();
        world.cloud.capacity.clear();
        world.cloud.interruptWith(() -> {
            if (world.cloud.target("light-ondemand") == 2) {
                throw new ScalerFixture.Killed();
            }
        });
        assertThatThrownBy(world::second).isInstanceOf(ScalerFixture.Killed.class);
        world.cloud.interruptWith(() -> {});
        world.cloud.unreadable.put("light-ondemand", FailureKind.CONFLICT);
        world.restart();
        world.seconds(90); // the back-off of the spot pool is over

        assertThat(world.cloud.calls)
                .containsExactly("grow light-spot 0->2", "withdraw light-spot 2->0", "grow light-ondemand 0->2");
    }

    /** A scaler may be paused between its check of the Lease and its request. The request is then sent while another scaler leads. */
    @Test
    void expectsTheLastScalersRequestForAMinuteThoughItsCloudHasNotReceivedIt() {
        world.machinesNeverJoin = true;
        world.cloud.capacity.put("light-spot", 0);
        burst(2);
        world.second();
        world.cluster.interruptWith(() -> {
            if (announced("light-ondemand") == 2) {
                throw new ScalerFixture.Killed();
            }
        });
        assertThatThrownBy(world::second).isInstanceOf(ScalerFixture.Killed.class);
        world.cluster.interruptWith(() -> {});
        world.cloud.capacity.clear();
        world.restart();
        world.seconds(59);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->2", "withdraw light-spot 2->0");

        world.seconds(3);
        assertThat(world.cloud.calls).hasSize(3);
    }

    @Test
    void expectsARequestWithoutAnAnswerAfterTheRoundThatSentIt() {
        world.cloud.unanswered.add("light-spot");
        burst(2);
        world.second();
        assertThat(announced("light-spot")).isEqualTo(2);
        world.cloud.unanswered.clear();
        world.restart();
        world.seconds(58);
        assertThat(world.cloud.calls).isEmpty();

        world.seconds(4);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->2");
    }

    private int announced(String pool) {
        return Optional.ofNullable(world.cluster.pools.get(pool).getStatus())
                .map(TrainingPoolStatus::upcoming)
                .orElse(0);
    }

    @Test
    void ordersNothingWhileTheStatusCannotBeWritten() {
        world.cluster.interruptWith(() -> {
            throw new KubernetesClientException("etcdserver: request timed out");
        });
        burst(1);
        world.seconds(3);
        assertThat(world.cloud.calls).isEmpty();
        assertThat(world.eventsOf("train-1"))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event).contains("it could not be recorded in the status"));

        world.cluster.interruptWith(() -> {});
        world.seconds(2);
        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
    }

    @Test
    void buysNothingTwiceWhereverItIsKilled() {
        int steps = stepsOfACompleteRun();
        assertThat(steps).isGreaterThan(30);
        for (int deadly = 1; deadly <= steps; deadly++) {
            var mortal = new ScalerFixture()
                    .pool("light-spot", spot(1).idleAfter("10s"))
                    .pool("light-ondemand", onDemand(1).idleAfter("10s"))
                    .tier("light-gpu", "light-spot", "light-ondemand");
            mortal.cloud.capacity.put("light-spot", 2);
            int killedAt = deadly;
            var step = new AtomicInteger();
            Runnable interruption = () -> {
                if (step.incrementAndGet() == killedAt) {
                    throw new ScalerFixture.Killed();
                }
            };
            mortal.cloud.interruptWith(interruption);
            mortal.cluster.interruptWith(interruption);
            mortal.waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1");
            live(mortal);

            assertThat(mortal.cloud.everMade())
                    .as("machines ever made, killed at step %d", deadly)
                    .isEqualTo(3);
            assertThat(mortal.cluster.nodes)
                    .as("nodes left, killed at step %d", deadly)
                    .isEmpty();
            assertThat(mortal.placed()).isEqualTo(3);
        }
    }

    @Test
    void remembersAPoolsFailuresWhileItsSpecIsInvalid() {
        world.cloud.capacity.put("light-spot", 0);
        burst(1);
        world.seconds(2);
        var pool = world.cluster.pools.get("light-spot");
        var before = LedgerStatus.read(pool.getStatus());
        world.cluster.pool("light-spot", spot(1).provisionTimeout("soon").spec());
        world.cluster.pools.get("light-spot").setStatus(pool.getStatus());
        world.second();

        var status = world.cluster.pools.get("light-spot").getStatus();
        assertThat(status.message()).contains("soon");
        assertThat(LedgerStatus.read(status)).isEqualTo(before);
        assertThat(status.conditions())
                .filteredOn(condition -> condition.type().equals(LedgerStatus.READABLE))
                .extracting(ConditionStatus::status, ConditionStatus::reason)
                .containsExactly(tuple("Unknown", "NotRead"));
    }

    private static int stepsOfACompleteRun() {
        var world = new ScalerFixture()
                .pool("light-spot", spot(1).idleAfter("10s"))
                .pool("light-ondemand", onDemand(1).idleAfter("10s"))
                .tier("light-gpu", "light-spot", "light-ondemand");
        world.cloud.capacity.put("light-spot", 2);
        var step = new AtomicInteger();
        world.cloud.interruptWith(step::incrementAndGet);
        world.cluster.interruptWith(step::incrementAndGet);
        world.waiting(3, "train", "light-gpu", "nvidia.com/gpu", "1");
        live(world);
        return step.get();
    }

    /**
     * Runs from the burst until the last machine is removed, and restarts a killed scaler. The next scaler may wait a minute for a request
     * that was announced and never sent.
     */
    private static void live(ScalerFixture world) {
        for (int second = 0; second < 170; second++) {
            if (second == 105) {
                world.finishAllJobs();
            }
            try {
                world.second();
            } catch (ScalerFixture.Killed e) {
                world.restart();
            }
        }
    }

    private void burst(int pods) {
        world.waiting(pods, "train", "light-gpu", "nvidia.com/gpu", "1");
    }
}
