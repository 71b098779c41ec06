package dev.trainyard.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class WorldTest {

    private static final KubernetesSerialization YAML = new KubernetesSerialization();
    static final Behaviour QUICK = new Behaviour(
            Group.SCALE_SET,
            1000,
            Duration.ofSeconds(60),
            Duration.ofSeconds(90),
            Duration.ofSeconds(30),
            Duration.ofSeconds(20),
            Duration.ofSeconds(30),
            Optional.empty(),
            false);

    static TrainingPool pool(String name, String type, int max, String price) {
        return YAML.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {}}
                  capacityType: %s
                  max: %d
                  hourlyPrice: "%s"
                  promise:
                    labels: {gpu: "true"}
                    allocatable: {cpu: "16", memory: 64Gi, nvidia.com/gpu: "4"}
                """.formatted(name, type, max, price), TrainingPool.class);
    }

    static TrainingTier tier(String name, String... pools) {
        return YAML.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec:
                  pools: [%s]
                  default: {gpus: {min: 1}}
                """.formatted(name, String.join(", ", pools)), TrainingTier.class);
    }

    static Task job(String name, int gpus, Duration arrives, Duration runsFor) {
        var pod = new ObjectMapper().createObjectNode();
        var container = pod.withArray("/spec/containers").addObject();
        container.put("name", "main").put("image", "registry.example/training:1");
        container.withObject("/resources/limits").put("nvidia.com/gpu", Integer.toString(gpus));
        return new Task("Job", "team", name, pod::deepCopy, 1, 1, arrives, Optional.of(runsFor));
    }

    static World world(Function<Pool, Behaviour> behaviours, long seed, List<Task> tasks) {
        return new World(new World.Setting(
                Instant.parse("2026-01-05T00:00:00Z"),
                List.of(pool("spot", "spot", 10, "1.00"), pool("ondemand", "on-demand", 10, "4.00")),
                List.of(tier("gpu", "spot", "ondemand")),
                new Workload(tasks),
                behaviours,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                seed));
    }

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
        var none = new Behaviour(
                Group.SCALE_SET,
                0,
                Duration.ofSeconds(60),
                Duration.ofSeconds(90),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20),
                Duration.ofSeconds(30),
                Optional.empty(),
                false);
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
        var fleeting = new Behaviour(
                Group.AUTO_SCALING_GROUP,
                1000,
                Duration.ofSeconds(60),
                Duration.ofSeconds(90),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20),
                Duration.ofSeconds(30),
                Optional.of(Duration.ofMinutes(30)),
                false);
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

    /** {@code backoffLimit}, as Kubernetes counts it: pods that are lost have failed. */
    @Test
    void aJobFailsWhenMoreOfItsPodsAreLostThanItsBackoffLimitAllows() {
        var world = world(
                pool -> new Behaviour(
                        Group.SCALE_SET,
                        1000,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(90),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(30),
                        Optional.of(Duration.ofMinutes(10)),
                        false),
                1,
                List.of(job("train", 4, Duration.ofMinutes(1), Duration.ofDays(1))));

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

    /** The same, named like the class that its pods name. */
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
