package dev.trainyard.simulation.cluster;

import static dev.trainyard.simulation.cluster.SmallWorld.QUICK;
import static dev.trainyard.simulation.cluster.SmallWorld.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingPoolStatus.ReliabilityStatus;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two spot pools of equal price, whose clouds reclaim machines after an hour on average, and never. Every half hour a training begins. */
class EquallyPreferredWorldTest {

    private static final Duration LENGTH = Duration.ofHours(22);

    @ParameterizedTest
    @EnumSource
    void machinesEndUpInTheCalmPool(Group group) {
        var world = world(group, List.of(List.of("often", "seldom")));
        world.passTo(Duration.ofHours(8));
        int first = made(world, "often");
        world.passTo(LENGTH);

        assertThat(first).isBetween(1, 8);
        assertThat(made(world, "often")).isEqualTo(first);
        assertThat(made(world, "seldom")).isPositive();
        assertThat(world.cloud().targets()).containsEntry("often", 0).containsEntry("seldom", 2);
        assertThat(reliability(world, "often").reclaims()).isBetween(0.1, (double) first);
        assertThat(reliability(world, "seldom").reclaims()).isZero();
    }

    @Test
    void theOrderDecidesIfOnePoolIsPreferred() {
        var world = world(Group.SCALE_SET, null);
        world.passTo(LENGTH);

        assertThat(made(world, "often")).isGreaterThan(20);
        assertThat(made(world, "seldom")).isZero();
    }

    private static int made(World world, String pool) {
        var use = world.record().pools().get(pool);
        return use == null ? 0 : use.made();
    }

    private static ReliabilityStatus reliability(World world, String pool) {
        return Optional.ofNullable(world.server()
                        .pools()
                        .get(pool)
                        .orElseThrow()
                        .getStatus()
                        .reliability())
                .orElse(new ReliabilityStatus("", 0, 0, 0, 0));
    }

    private static World world(Group group, List<List<String>> equallyPreferred) {
        var tier = SmallWorld.tier("gpu", "often", "seldom");
        tier.setSpec(TrainingTierSpec.builder(List.of("often", "seldom"))
                .equallyPreferred(equallyPreferred)
                .defaultFor(tier.getSpec().defaultFor())
                .resumable(true)
                .build());
        var reclaiming = SmallWorld.quick(group, 1000, Optional.of(Duration.ofHours(1)));
        return new World(new World.Setting(
                SmallWorld.START,
                List.of(SmallWorld.pool("often", "spot", 50, "1.00"), SmallWorld.pool("seldom", "spot", 50, "1.00")),
                List.of(tier),
                new Workload(IntStream.range(0, 46)
                        .mapToObj(i -> job("train-" + i, 4, Duration.ofMinutes(30L * i), Duration.ofMinutes(50)))
                        .toList()),
                pool -> pool.name().equals("often") ? reclaiming : QUICK,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                1));
    }
}
