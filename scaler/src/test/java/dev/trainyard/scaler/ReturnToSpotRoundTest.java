package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.ReturnToSpotSpec;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The rounds of a scaler, from a stock-out of spot machines until the pod runs on a spot machine again. */
class ReturnToSpotRoundTest {

    private static final String MARK = "trainyard.dev/return-to-spot";

    private final ScalerFixture world = afterStockOut();

    @Test
    void requestsSpotMachineFirstAndEvictsPodWhenItIsUsable() {
        world.cloud.capacity.clear();
        runUntil(world, () -> world.cluster.changes.contains("evict team/train-1"));
        assertThat(world.cluster.nodes).containsKey("spot-0002");
        assertThat(world.cloud.calls).endsWith("grow spot 0->1");

        world.seconds(5);
        assertThat(world.cluster.pods.get("train-1-again").getSpec().getNodeName())
                .isEqualTo("spot-0002");
        world.seconds(120);
        assertThat(world.cluster.nodes).containsOnlyKeys("spot-0002");
        assertThat(world.cloud.target("ondemand")).isZero();
        assertThat(world.cloud.everMade()).isEqualTo(2);
        assertThat(world.cluster.changes.stream().filter(change -> change.startsWith("evict")))
                .containsExactly("evict team/train-1");
    }

    @Test
    void evictsNothingWhileTheSpotMachineIsNotUsable() {
        world.cloud.capacity.clear();
        world.neverUsable = true;
        world.seconds(600);

        assertThat(world.cloud.target("spot")).isEqualTo(1);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("evict"));
    }

    @Test
    void waitsLongerAfterEachFailedAttempt() {
        world.seconds(1800);

        assertThat(world.cloud.calls.stream().filter(call -> call.equals("grow spot 0->1")))
                .as("after 2, 4, 8 and 16 minutes")
                .hasSize(1 + 4);
        assertThat(mark(world)).startsWith("failed, 4, ");
        assertThat(world.cluster.pods.get("train-1").getSpec().getNodeName()).isEqualTo("ondemand-0001");
        assertThat(world.cloud.everMade()).isEqualTo(1);
    }

    @Test
    void idleSpotMachineGoesIfTheEvictionIsRefused() {
        world.cluster.pods.computeIfPresent(
                "train-1",
                (name, pod) -> new PodBuilder(pod)
                        .editMetadata()
                        .addToLabels("app", "training")
                        .endMetadata()
                        .build());
        world.cloud.capacity.clear();
        runUntil(world, () -> world.cloud.target("spot") == 1);
        world.cluster.evictions.budget("training", 0);
        world.seconds(180);

        assertThat(world.cluster.nodes).containsOnlyKeys("ondemand-0001");
        assertThat(world.cluster.pods).containsOnlyKeys("train-1");
        assertThat(mark(world)).startsWith("failed, 1, ");
    }

    @Test
    void buysOneSpotMachineAndReturnsOncePlannedWhereverItIsKilled() {
        var steps = new AtomicInteger();
        live(world, steps::incrementAndGet);
        assertThat(steps.get()).isGreaterThan(20);
        for (int deadly = 1; deadly <= steps.get(); deadly++) {
            var mortal = afterStockOut();
            var step = new AtomicInteger();
            int killedAt = deadly;
            live(mortal, () -> {
                if (step.incrementAndGet() == killedAt) {
                    throw new ScalerFixture.Killed();
                }
            });

            assertThat(mortal.cloud.everMade()).as("killed at step %d", deadly).isEqualTo(2);
            assertThat(mortal.cluster.nodes).as("killed at step %d", deadly).containsOnlyKeys("spot-0002");
            assertThat(mortal.cluster.pods).as("killed at step %d", deadly).containsOnlyKeys("train-1-again");
            assertThat(mortal.placed()).as("killed at step %d", deadly).isEqualTo(1);
        }
    }

    /** Runs from the recovery of the spot pool until the on-demand machine is removed, and restarts a killed scaler. */
    private static void live(ScalerFixture world, Runnable interruption) {
        world.cloud.capacity.clear();
        world.cloud.interruptWith(interruption);
        world.cluster.interruptWith(interruption);
        for (int second = 0; second < 420; second++) {
            try {
                world.second();
            } catch (ScalerFixture.Killed e) {
                world.restart();
            }
        }
    }

    /** Returns a world whose only pod runs on an on-demand machine, because no spot machine was left. */
    private static ScalerFixture afterStockOut() {
        var world = new ScalerFixture()
                .pool("spot", spot(1).idleAfter("30s"))
                .pool("ondemand", onDemand(1).idleAfter("30s"));
        world.cluster.tier(
                "gpu",
                TrainingTierSpec.builder(List.of("spot", "ondemand"))
                        .fallbackAfter("3m")
                        .resumable(true)
                        .returnToSpot(new ReturnToSpotSpec("2m", 1))
                        .build());
        world.cloud.capacity.put("spot", 0);
        world.waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
        world.seconds(60);
        assertThat(world.cluster.pods.get("train-1").getSpec().getNodeName()).isEqualTo("ondemand-0001");
        world.cluster.changes.clear();
        return world;
    }

    private static void runUntil(ScalerFixture world, BooleanSupplier condition) {
        for (int second = 0; second < 300; second++) {
            world.second();
            if (condition.getAsBoolean()) {
                return;
            }
        }
        throw new AssertionError("not seen in five minutes");
    }

    private static String mark(ScalerFixture world) {
        return world.cluster
                .nodes
                .get("ondemand-0001")
                .getMetadata()
                .getAnnotations()
                .get(MARK);
    }
}
