package dev.trainyard.simulation.cluster;

import static dev.trainyard.simulation.cluster.SmallWorld.QUICK;
import static dev.trainyard.simulation.cluster.SmallWorld.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.ReturnToSpotSpec;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cloud with a single spot machine. Another training has it until minute 25, so that this one runs on an on-demand machine. */
class ReturnToSpotWorldTest {

    private static final Task OTHER = job("other", 4, Duration.ofMinutes(1), Duration.ofMinutes(20));
    private static final Task TRAINING = job("train", 4, Duration.ofMinutes(2), Duration.ofHours(3));

    @ParameterizedTest
    @EnumSource
    void trainingReturnsWhenThePoolHasRecovered(Group group) {
        var world = world(group, new ReturnToSpotSpec("40m", 1));
        world.passTo(Duration.ofMinutes(35));
        assertThat(pool(world)).isEqualTo("ondemand");

        world.passTo(Duration.ofMinutes(60));

        assertThat(pool(world)).isEqualTo("spot");
        assertThat(world.cloud().targets()).containsEntry("spot", 1).containsEntry("ondemand", 0);
        assertThat(world.record().pools().get("spot").made()).isEqualTo(2);
        assertThat(world.record().pools().get("ondemand").made()).isEqualTo(1);
        world.passTo(Duration.ofHours(6));
        assertThat(world.failedJobs()).isZero();
        assertThat(world.isOver()).isTrue();
        assertThat(world.server().nodes().all()).isEmpty();
    }

    @Test
    void trainingStaysIfTheTierDoesNotSayOtherwise() {
        var world = world(Group.SCALE_SET, null);

        world.passTo(Duration.ofHours(2));

        assertThat(pool(world)).isEqualTo("ondemand");
    }

    private static World world(Group group, ReturnToSpotSpec settings) {
        var tier = SmallWorld.tier("gpu", "spot", "ondemand");
        tier.setSpec(TrainingTierSpec.builder(List.of("spot", "ondemand"))
                .defaultFor(tier.getSpec().defaultFor())
                .resumable(true)
                .returnToSpot(settings)
                .build());
        var scarce = SmallWorld.quick(group, 1, Optional.empty());
        return new World(new World.Setting(
                SmallWorld.START,
                List.of(
                        SmallWorld.pool("spot", "spot", 10, "1.00"),
                        SmallWorld.pool("ondemand", "on-demand", 10, "4.00")),
                List.of(tier),
                new Workload(List.of(OTHER, TRAINING)),
                pool -> pool.isSpot() ? scarce : QUICK,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                1));
    }

    /** Returns the pool whose machine the training runs on. */
    private static String pool(World world) {
        var node = world.server().pods().all().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith("train"))
                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                .map(Pod::getSpec)
                .map(spec -> spec.getNodeName())
                .findFirst()
                .orElseThrow();
        return world.poolOf(node).orElseThrow().name();
    }
}
