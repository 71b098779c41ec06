package dev.trainyard.simulation.cluster;

import static dev.trainyard.simulation.cluster.SmallWorld.job;
import static dev.trainyard.simulation.cluster.SmallWorld.world;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A cluster in which the cloud announces the reclaim of a spot machine four minutes before. A machine boots in two minutes at most. */
class AnnouncedReclaimWorldTest {

    private static final Duration ANNOUNCED_AT = Duration.ofMinutes(20);
    private static final Duration LEAD = Duration.ofMinutes(4);

    @ParameterizedTest
    @EnumSource
    void podRunsOnReplacementBeforeTheMachineIsReclaimed(Group group) {
        var world = announced(group);
        var first = onlyMachine(world);

        var now = ANNOUNCED_AT;
        while (pod(world).getMetadata().getDeletionTimestamp() == null) {
            now = now.plusMillis(50);
            world.passTo(now);
        }
        assertThat(now).as("one batch window of 1 s later").isLessThan(ANNOUNCED_AT.plusSeconds(2));
        assertThat(world.cloud().target("spot"))
                .as("requested before the eviction")
                .isEqualTo(2);
        assertThat(pod(world).getMetadata().getAnnotations()).containsKey(Names.ENDS_AT);

        world.passTo(ANNOUNCED_AT.plus(LEAD).minusSeconds(1));
        assertThat(pod(world).getStatus().getPhase()).isEqualTo("Running");
        assertThat(pod(world).getSpec().getNodeName()).isNotEqualTo(first);
        assertThat(world.cloud().targets()).containsEntry("spot", 1);
        assertThat(world.server().nodes().get(first)).isEmpty();
    }

    @Test
    void poolKeepsItsSizeAfterTheReclaim() {
        var world = announced(Group.AUTO_SCALING_GROUP);

        world.passTo(Duration.ofMinutes(50));

        assertThat(world.cloud().targets()).containsEntry("spot", 1);
        assertThat(world.record().pools().get("spot").made()).isEqualTo(2);
        world.passTo(Duration.ofHours(4));
        assertThat(world.isOver()).isTrue();
        assertThat(world.server().nodes().all()).isEmpty();
    }

    /** The webhook gives only Jobs with {@code restartPolicy: Never} the policy that ignores evictions. */
    @ParameterizedTest
    @CsvSource({"Never, 0", "OnFailure, 1"})
    void jobCountsEvictionUnlessTheWebhookLetsItIgnoreEvictions(String restartPolicy, int failed) {
        var world = announced(Group.SCALE_SET, jobThatRestarts(restartPolicy));

        world.passTo(ANNOUNCED_AT.plus(LEAD));

        assertThat(pod(world).getStatus().getPhase()).isEqualTo("Running");
        assertThat(world.owned()).extracting(OwnerState::failed).containsExactly(failed);
    }

    @Test
    void jobCountsNoFailureIfItsMachineGoesWithoutNotice() {
        var world = world(pool -> SmallWorld.QUICK, 1, List.of(jobThatRestarts("Never")));
        world.passTo(ANNOUNCED_AT);
        world.takeBack("spot", onlyMachine(world));

        world.passTo(ANNOUNCED_AT.plus(Duration.ofMinutes(10)));

        assertThat(pod(world).getStatus().getPhase()).isEqualTo("Running");
        assertThat(world.owned()).extracting(OwnerState::failed).containsExactly(0);
    }

    /** Without the setting of the tier, only the member under notice leaves. */
    @ParameterizedTest
    @CsvSource({"true, 2", "false, 1"})
    void gangLeavesTogetherButOnlyOneMachineIsReplaced(boolean together, int evicted) {
        var train = jobThatRestarts("Never");
        var gang = new Task(
                "Job",
                train.namespace(),
                train.name(),
                () -> {
                    var pod = train.template().get();
                    pod.withObject("/metadata/annotations").put(Names.GANG, "g").put(Names.GANG_SIZE, "2");
                    return pod;
                },
                2,
                2,
                train.arrives(),
                train.runsFor());
        var tier = SmallWorld.tier("gpu", "spot");
        tier.setSpec(TrainingTierSpec.builder(List.of("spot"))
                .defaultFor(tier.getSpec().defaultFor())
                .gangsLeaveTogether(together)
                .build());
        var world = new World(new World.Setting(
                SmallWorld.START,
                List.of(SmallWorld.pool("spot", "spot", 10, "1.00")),
                List.of(tier),
                new Workload(List.of(gang)),
                pool -> SmallWorld.QUICK,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                1));
        world.passTo(ANNOUNCED_AT);
        world.announceReclaim("spot", onlyMachine(world), LEAD);

        world.passTo(ANNOUNCED_AT.plusSeconds(2));
        assertThat(world.server().pods().all())
                .filteredOn(pod -> pod.getMetadata().getDeletionTimestamp() != null)
                .hasSize(evicted);
        assertThat(world.cloud().target("spot")).isEqualTo(3);

        world.passTo(ANNOUNCED_AT.plus(LEAD));
        assertThat(world.server().pods().all())
                .hasSize(2)
                .allMatch(pod -> pod.getStatus().getPhase().equals("Running"));
        assertThat(world.record().pools().get("spot").made()).isEqualTo(3);
        assertThat(world.owned()).extracting(OwnerState::failed).containsExactly(0);
    }

    /** All machines of the pool at once, with little time, two times: replacements are reclaimed, too. */
    @ParameterizedTest
    @EnumSource
    void jobsCompleteAndNothingIsLeftAfterStormsWithShortNotice(Group group) {
        var tasks = new ArrayList<Task>();
        for (int i = 0; i < 5; i++) {
            tasks.add(job("train-" + i, 4, Duration.ofMinutes(1), Duration.ofHours(1)));
        }
        var world = world(pool -> SmallWorld.quick(group, 1000, Optional.empty()), 1, tasks);
        for (int minute : List.of(20, 40)) {
            world.passTo(Duration.ofMinutes(minute));
            var machines = world.cloud().running("spot");
            assertThat(machines).hasSizeGreaterThanOrEqualTo(5);
            machines.forEach(machine -> world.announceReclaim("spot", machine, Duration.ofSeconds(10)));
        }

        world.passTo(Duration.ofHours(6));

        assertThat(world.failedJobs()).isZero();
        assertThat(world.isOver()).isTrue();
        assertThat(world.server().nodes().all()).isEmpty();
        assertThat(world.cloud().targets().values()).allMatch(target -> target == 0);
    }

    @Test
    void cloudReclaimsTheSameMachineAtTheSameTimeWithAndWithoutNotice() {
        var without = reclaiming(Duration.ZERO);
        without.passTo(Duration.ofMinutes(5));
        var first = onlyMachine(without);
        var reclaimed = Duration.ofMinutes(5);
        while (without.cloud().running("spot").contains(first)) {
            reclaimed = reclaimed.plusMillis(50);
            without.passTo(reclaimed);
        }

        var with = reclaiming(LEAD);
        with.passTo(reclaimed.minus(LEAD).minusMillis(100));
        assertThat(onlyMachine(with)).isEqualTo(first);
        assertThat(isAnnounced(with, first)).isFalse();
        with.passTo(reclaimed.minus(LEAD));
        assertThat(isAnnounced(with, first)).isTrue();
    }

    private static World reclaiming(Duration notice) {
        var cloud = SmallWorld.quick(Group.SCALE_SET, 1000, Optional.of(Duration.ofHours(1)), notice);
        return world(pool -> cloud, 1, List.of(job("train", 4, Duration.ofMinutes(1), Duration.ofHours(9))));
    }

    private static boolean isAnnounced(World world, String node) {
        return world.server().nodes().get(node).orElseThrow().getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("PreemptionScheduled"));
    }

    private static Task jobThatRestarts(String restartPolicy) {
        var train = job("train", 4, Duration.ofMinutes(1), Duration.ofHours(1));
        return new Task(
                "Job",
                train.namespace(),
                train.name(),
                () -> {
                    var pod = train.template().get();
                    pod.withObject("/spec").put("restartPolicy", restartPolicy);
                    return pod;
                },
                1,
                1,
                train.arrives(),
                train.runsFor());
    }

    private World announced(Group group) {
        return announced(group, job("train", 4, Duration.ofMinutes(1), Duration.ofHours(1)));
    }

    private World announced(Group group, Task task) {
        var world = world(pool -> SmallWorld.quick(group, 1000, Optional.empty()), 1, List.of(task));
        world.passTo(ANNOUNCED_AT);
        world.announceReclaim("spot", onlyMachine(world), LEAD);
        return world;
    }

    private static String onlyMachine(World world) {
        return world.server().nodes().all().iterator().next().getMetadata().getName();
    }

    private static Pod pod(World world) {
        return world.server().pods().all().iterator().next();
    }
}
