package dev.trainyard.simulation.cluster;

import static dev.trainyard.simulation.cluster.SmallWorld.QUICK;
import static dev.trainyard.simulation.cluster.SmallWorld.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.ReturnToSpotSpec;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trainings that save checkpoints, on spot machines that last two hours on average. */
class DeadlineWorldTest {

    private static final Duration RESTART_COST = Duration.ofMinutes(15);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void allTrainingsMeetTheirDeadlinesThoughSpotMachinesAreReclaimedAndScarce(long seed) {
        var world = world(seed, 2, workload().withDeadlines(SmallWorld.START, 1.6, Duration.ZERO, RESTART_COST));
        world.passTo(Duration.ofHours(80));

        assertThat(world.isOver()).isTrue();
        assertThat(world.missedDeadlines()).isZero();
        assertThat(world.failedJobs()).isZero();
        assertThat(world.metDeadlines()).isEqualTo(8);
        assertThat(world.record().reclaims().pods()).isPositive();
        assertThat(world.record().pools().get("spot").made()).isGreaterThan(8);
    }

    @Test
    void spotMachinesAloneMissDeadlines() {
        var world = world(1, 1, workload().withDeadlines(SmallWorld.START, 1.6, Duration.ZERO, RESTART_COST), "spot");
        world.passTo(Duration.ofHours(80));

        assertThat(world.missedDeadlines()).isPositive();
    }

    @Test
    void hiddenDeadlinesCountOnlyInTheReport() {
        var hidden = workload()
                .withDeadlines(SmallWorld.START, 1.6, Duration.ZERO, RESTART_COST)
                .hidingDeadlines();
        var annotations =
                hidden.tasks().get(0).template().get().path("metadata").path("annotations");
        assertThat(annotations.fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder("trainyard.dev/simulated-deadline", "trainyard.dev/simulated-restart-cost");

        var world = world(1, 2, hidden);
        world.passTo(Duration.ofHours(80));
        assertThat(world.metDeadlines() + world.missedDeadlines()).isEqualTo(8);
    }

    @Test
    void anInterruptionCostsAtMostTheRestartCost() {
        var task = job("train", 4, Duration.ZERO, Duration.ofHours(4));
        var world = world(
                1, 10, new Workload(List.of(task)).withDeadlines(SmallWorld.START, 10, Duration.ZERO, RESTART_COST));
        world.passTo(Duration.ofMinutes(62));
        var machine = world.server().pods().all().iterator().next().getSpec().getNodeName();
        world.takeBack("spot", machine);
        world.passTo(Duration.ofHours(20));

        int interrupted = world.record().reclaims().pods();
        assertThat(interrupted).isPositive();
        assertThat(world.record().reclaims().lostGpuHours()).isLessThanOrEqualTo(4 * 0.25 * interrupted + 0.01);
        assertThat(world.record().gpuHoursUsed()).isBetween(16.0, 16.0 + 4 * 0.25 * interrupted + 0.01);
    }

    private static Workload workload() {
        var tasks = new ArrayList<Task>();
        for (int i = 0; i < 8; i++) {
            tasks.add(job("train-" + i, 4, Duration.ofMinutes(40L * i), Duration.ofHours(6 + 2L * i)));
        }
        return new Workload(tasks);
    }

    private static World world(long seed, int stock, Workload workload, String... pools) {
        var names = pools.length == 0 ? List.of("spot", "ondemand") : List.of(pools);
        var tier = SmallWorld.tier("gpu", names.toArray(String[]::new));
        tier.setSpec(TrainingTierSpec.builder(names)
                .defaultFor(tier.getSpec().defaultFor())
                .resumable(true)
                .returnToSpot(new ReturnToSpotSpec("30m", 2))
                .deadlines(true)
                .build());
        Behaviour scarce = SmallWorld.quick(Group.SCALE_SET, stock, Optional.of(Duration.ofHours(2)));
        return new World(new World.Setting(
                SmallWorld.START,
                List.of(
                        SmallWorld.pool("spot", "spot", 10, "1.00"),
                        SmallWorld.pool("ondemand", "on-demand", 10, "4.00")),
                List.of(tier),
                workload,
                pool -> pool.isSpot() ? scarce : QUICK,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                seed));
    }
}
