package dev.trainyard.simulation.cluster;

import static dev.trainyard.simulation.cluster.SmallWorld.job;
import static dev.trainyard.simulation.cluster.SmallWorld.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.trainyard.core.Durations;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.api.Edited;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Workload;
import dev.trainyard.simulation.workload.YamlWorkload;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A Job with one pod of four GPUs runs for an hour on a spot machine that is reclaimed after 20 minutes. A machine needs at least 90 s until
 * its node has GPUs.
 */
class ReclaimRecordTest {

    private static final Duration SHORTEST_BOOT = Duration.ofSeconds(90);
    private static final Duration LONGEST_BOOT = Duration.ofMinutes(2);
    private static final Duration RECLAIMED_AT = Duration.ofMinutes(20);

    @Test
    void workSinceThePodStartedIsLostWithoutNotice() {
        var world = world(Optional.empty());
        world.passTo(RECLAIMED_AT);
        var ran = RECLAIMED_AT.minus(startOf(onlyPod(world)));
        world.takeBack("spot", onlyMachine(world));
        world.passTo(Duration.ofMinutes(30));

        var reclaims = world.record().reclaims();
        assertThat(reclaims.pods()).isEqualTo(1);
        assertThat(reclaims.savedPods()).isZero();
        assertThat(reclaims.lostGpuHours()).isCloseTo(4 * hours(ran), within(0.01));
        assertThat(reclaims.waits()).hasSize(1).isEqualTo(reclaims.delays());
    }

    @Test
    void delayAfterReclaimFallsByTheBootTimeIfTheNoticeIsLonger() {
        var without = reclaimed(Optional.empty(), Duration.ZERO).record().reclaims();
        var with = reclaimed(Optional.empty(), Duration.ofMinutes(4)).record().reclaims();

        assertThat(with.delays()).containsExactly(0);
        assertThat(without.delays()).hasSize(1);
        assertThat(Duration.ofNanos(without.delays()[0])).isGreaterThan(SHORTEST_BOOT);
        assertThat(Duration.ofNanos(with.waits()[0]))
                .as("the pod ends at once")
                .isLessThan(LONGEST_BOOT.plusSeconds(20));
        assertThat(without.waits()[0] - with.waits()[0])
                .as("nothing has to notice that the machine is gone")
                .isGreaterThan(Duration.ofSeconds(60).toNanos());
    }

    /** The scaler evicts the pod at once, and lets it end two seconds before the reclaim. */
    @ParameterizedTest
    @CsvSource({"65, 1", "60, 0"})
    void podSavesItsStateIfTheNoticeLeavesTheTime(int notice, int saved) {
        var world = reclaimed(Optional.of("60s"), Duration.ofSeconds(notice));

        var reclaims = world.record().reclaims();
        assertThat(reclaims.pods()).isEqualTo(1);
        assertThat(reclaims.savedPods()).isEqualTo(saved);
        if (saved == 1) {
            assertThat(reclaims.lostGpuHours()).as("while it saved").isCloseTo(4 / 60.0, within(0.001));
        } else {
            assertThat(reclaims.lostGpuHours()).isGreaterThan(4 * 0.25);
        }
    }

    @Test
    void replacementRunsOnlyForTheTimeThatRemainsIfThePodSavedItsState() {
        var ran = RECLAIMED_AT.minus(startOf(onlyPod(untilReclaim(Optional.of("60s")))));

        var resumed = onlyPod(reclaimed(Optional.of("60s"), Duration.ofMinutes(4)));
        var restarted = onlyPod(reclaimed(Optional.of("60s"), Duration.ofSeconds(30)));

        assertThat(runTime(resumed))
                .isBetween(hour().minus(ran).minusSeconds(5), hour().minus(ran).plusSeconds(5));
        assertThat(runTime(restarted)).isEqualTo(hour());
    }

    @Test
    void replacementResumesFromTheLastCheckpointIfTheResumedPodIsLostUnsaved() {
        var world = reclaimed(Optional.of("60s"), Duration.ofMinutes(4));
        var resumed = runTime(onlyPod(world));
        assertThat(resumed).isLessThan(hour());
        world.takeBack("spot", onlyMachine(world));

        world.passTo(RECLAIMED_AT.plusMinutes(20));

        assertThat(world.record().reclaims().pods()).isEqualTo(2);
        assertThat(runTime(onlyPod(world))).isEqualTo(resumed);
    }

    @Test
    void podThatIsEvictedForAnotherReasonIsNoReclaim() {
        var world = untilReclaim(Optional.empty());
        var pod = onlyPod(world);
        world.evictions()
                .evict(
                        pod.getMetadata().getNamespace() + "/"
                                + pod.getMetadata().getName(),
                        pod.getMetadata().getUid(),
                        Optional.empty());
        world.passTo(Duration.ofMinutes(30));

        assertThat(world.record().lost()).isEqualTo(1);
        assertThat(world.record().reclaims().pods()).isZero();
    }

    /** Announces the reclaim of the only machine, unless the notice is zero, and lets the pod run again. */
    private static World reclaimed(Optional<String> checkpointGrace, Duration notice) {
        var world = untilReclaim(checkpointGrace);
        if (notice.isZero()) {
            world.takeBack("spot", onlyMachine(world));
        } else {
            world.announceReclaim("spot", onlyMachine(world), notice);
        }
        world.passTo(RECLAIMED_AT.plusMinutes(10));
        return world;
    }

    private static World untilReclaim(Optional<String> checkpointGrace) {
        var world = world(checkpointGrace);
        world.passTo(RECLAIMED_AT);
        return world;
    }

    private static World world(Optional<String> checkpointGrace) {
        Behaviour cloud = SmallWorld.quick(Group.SCALE_SET, 1000, Optional.empty());
        var tier = Edited.of(
                SmallWorld.tier("gpu", "spot"),
                TrainingTier.class,
                json -> checkpointGrace.ifPresent(
                        grace -> json.withObject("/spec/checkpoint").put("grace", grace)));
        return new World(new World.Setting(
                SmallWorld.START,
                List.of(pool("spot", "spot", 10, "1.00")),
                List.of(tier),
                new Workload(List.of(job("train", 4, Duration.ofMinutes(1), hour()))),
                pool -> cloud,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                1));
    }

    private static Duration hour() {
        return Duration.ofHours(1);
    }

    private static double hours(Duration time) {
        return time.toSeconds() / 3600.0;
    }

    private static Duration startOf(Pod pod) {
        return Duration.between(SmallWorld.START, Instant.parse(pod.getStatus().getStartTime()));
    }

    private static Duration runTime(Pod pod) {
        return Durations.parse(pod.getMetadata().getAnnotations().get(YamlWorkload.DURATION));
    }

    private static Pod onlyPod(World world) {
        return world.server().pods().all().iterator().next();
    }

    private static String onlyMachine(World world) {
        return world.cloud().running("spot").get(0);
    }
}
