package dev.trainyard.simulation.cluster;

import static dev.trainyard.simulation.cluster.SmallWorld.QUICK;
import static dev.trainyard.simulation.cluster.SmallWorld.job;
import static dev.trainyard.simulation.cluster.SmallWorld.world;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Task;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WorldTest {

    @Test
    void jobsRunOnSpotMachinesAndNothingIsLeftAfterwards() {
        var tasks = new ArrayList<Task>();
        for (int i = 0; i < 8; i++) {
            tasks.add(job("train-" + i, 2, Duration.ofMinutes(1), Duration.ofMinutes(20)));
        }
        var world = world(pool -> QUICK, 1, tasks);

        world.passTo(Duration.ofHours(2));

        assertThat(world.record().waits()).hasSize(8).isSorted();
        assertThat(longest(world)).isLessThan(Duration.ofMinutes(4));
        assertThat(world.record().pools().get("spot").made()).isEqualTo(4);
        assertThat(world.record().pools()).doesNotContainKey("ondemand");
        assertThat(world.server().nodes().all()).isEmpty();
        assertThat(world.cloud().targets()).containsEntry("spot", 0);
        assertThat(world.server().pods().all()).isEmpty();
    }

    @Test
    void machinesOnDemandServeWhatSpotHasNoneLeftFor() {
        var none = SmallWorld.quick(Group.SCALE_SET, 0, Optional.empty());
        var world = world(
                pool -> pool.isSpot() ? none : QUICK,
                1,
                List.of(job("train", 4, Duration.ofMinutes(1), Duration.ofMinutes(20))));

        world.passTo(Duration.ofHours(2));

        assertThat(world.record().waits()).hasSize(1);
        assertThat(longest(world)).isLessThan(Duration.ofMinutes(5));
        assertThat(world.record().pools().get("ondemand").made()).isEqualTo(1);
        assertThat(world.cloud().targets()).containsEntry("spot", 0).containsEntry("ondemand", 0);
    }

    @Test
    void aJobWhoseSpotMachineIsTakenBackRunsAgainElsewhere() {
        var fleeting = SmallWorld.quick(Group.AUTO_SCALING_GROUP, 1000, Optional.of(Duration.ofMinutes(30)));
        var tasks = new ArrayList<Task>();
        for (int i = 0; i < 10; i++) {
            tasks.add(job("train-" + i, 4, Duration.ofMinutes(1), Duration.ofMinutes(20)));
        }
        var world = world(pool -> fleeting, 1, tasks);

        world.passTo(Duration.ofHours(12));

        assertThat(world.record().lost()).isPositive();
        assertThat(world.record().waits()).hasSize(10 + world.record().lost());
        assertThat(world.isOver()).isTrue();
        assertThat(world.server().nodes().all()).isEmpty();
        assertThat(world.cloud().targets()).containsEntry("spot", 0);
    }

    /** The size of a gang includes pods that have succeeded. */
    @Test
    void podsOfAJobAreThereUntilFiveMinutesAfterTheJobIsOver() {
        var one = job("wave", 1, Duration.ofMinutes(1), Duration.ofMinutes(20));
        var inTurn = new Task("Job", one.namespace(), one.name(), one.template(), 1, 2, one.arrives(), one.runsFor());
        var world = world(pool -> QUICK, 1, List.of(inTurn));

        world.passTo(Duration.ofMinutes(40));
        assertThat(world.server().pods().all())
                .extracting(pod -> pod.getStatus().getPhase())
                .containsExactly("Succeeded", "Running");
        world.passTo(Duration.ofMinutes(45));
        assertThat(world.isOver()).isTrue();
        assertThat(world.server().pods().all()).hasSize(2);
        world.passTo(Duration.ofMinutes(55));
        assertThat(world.server().pods().all()).isEmpty();
    }

    /** {@code backoffLimit} counts lost pods as failed, as in Kubernetes. */
    @Test
    void aJobFailsWhenMoreOfItsPodsAreLostThanItsBackoffLimitAllows() {
        var fleeting = SmallWorld.quick(Group.SCALE_SET, 1000, Optional.of(Duration.ofMinutes(10)));
        var world = world(pool -> fleeting, 1, List.of(job("train", 4, Duration.ofMinutes(1), Duration.ofDays(1))));

        world.passTo(Duration.ofHours(6));

        assertThat(world.record().lost()).isEqualTo(7);
        assertThat(world.failedJobs()).isEqualTo(1);
        assertThat(world.isOver()).isTrue();
    }

    @Test
    void podsHaveThePriorityOfTheirClassAndAreRefusedWhenThereIsNoSuchClass() {
        var plain = job("plain", 4, Duration.ofMinutes(1), Duration.ofMinutes(20));
        var world = world(pool -> QUICK, 1, List.of(ofClass("high", plain), ofClass("unknown", plain), plain));
        world.server()
                .priorityClasses()
                .create(new PriorityClassBuilder()
                        .withNewMetadata()
                        .withName("high")
                        .endMetadata()
                        .withValue(1000)
                        .build());

        world.passTo(Duration.ofMinutes(2));

        assertThat(world.refused())
                .hasSize(1)
                .allSatisfy((why, pods) -> assertThat(pods).isEqualTo(1));
        assertThat(world.server().pods().all())
                .extracting(pod -> pod.getSpec().getPriority())
                .containsExactly(1000, 0);
    }

    @Test
    void aPodThatFitsNoMachineWaitsAndNothingIsBought() {
        var world = world(pool -> QUICK, 1, List.of(job("huge", 64, Duration.ofMinutes(1), Duration.ofMinutes(20))));

        world.passTo(Duration.ofHours(2));

        assertThat(world.record().waits()).isEmpty();
        assertThat(world.record().pools()).isEmpty();
        assertThat(world.server().pods().all())
                .singleElement()
                .extracting(pod -> pod.getStatus().getConditions().get(0).getReason())
                .isEqualTo("Unschedulable");
    }

    /** Returns the task with a priority class for its pods. The task is named like the class. */
    private static Task ofClass(String priorityClass, Task task) {
        var pod = task.template().get();
        pod.withObject("/spec").put("priorityClassName", priorityClass);
        return new Task(
                task.kind(),
                task.namespace(),
                priorityClass,
                pod::deepCopy,
                task.pods(),
                task.completions(),
                task.backoffLimit(),
                task.arrives(),
                task.runsFor());
    }

    private static Duration longest(World world) {
        var waits = world.record().waits();
        return Duration.ofNanos(waits[waits.length - 1]);
    }
}
