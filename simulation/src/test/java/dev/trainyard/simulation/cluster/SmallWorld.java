package dev.trainyard.simulation.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The parts of small simulated clusters: pools whose machines have four GPUs, fast clouds, and jobs. */
public final class SmallWorld {

    /** A Monday. */
    public static final Instant START = Instant.parse("2026-01-05T00:00:00Z");

    /** A fast cloud that has enough machines and reclaims none. */
    public static final Behaviour QUICK = quick(Group.SCALE_SET, 1000, Optional.empty());

    /** The same cloud, with groups of machines that can have lifecycle hooks. */
    public static final Behaviour QUICK_WITH_HOOKS = quick(Group.AUTO_SCALING_GROUP, 1000, Optional.empty());

    private static final KubernetesSerialization YAML = new KubernetesSerialization();

    private SmallWorld() {}

    /**
     * Returns a cloud whose machines join in 60 to 90 s, show their GPUs 30 s later, and are deleted in 30 s. A stock-out is reported after
     * 20 s.
     */
    static Behaviour quick(Group group, int stock, Optional<Duration> evictedAfter) {
        return quick(group, stock, evictedAfter, Duration.ZERO);
    }

    /** Returns the same cloud, which announces reclaims. */
    static Behaviour quick(Group group, int stock, Optional<Duration> evictedAfter, Duration notice) {
        return new Behaviour(
                group,
                stock,
                Duration.ofSeconds(60),
                Duration.ofSeconds(90),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20),
                Duration.ofSeconds(30),
                evictedAfter,
                notice,
                false,
                Behaviour.Answers.PROMPT);
    }

    /**
     * Returns a pool.
     *
     * @param more fields of its spec, as YAML
     */
    public static TrainingPool pool(String name, String type, int max, String price, String... more) {
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
                  %s
                """.formatted(name, type, max, price, String.join("\n  ", more)), TrainingPool.class);
    }

    public static TrainingTier tier(String name, String... pools) {
        return YAML.unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec:
                  pools: [%s]
                  default: {gpus: {min: 1}}
                """.formatted(name, String.join(", ", pools)), TrainingTier.class);
    }

    /** Returns a Job of one pod. */
    public static Task job(String name, int gpus, Duration arrives, Duration runsFor) {
        var pod = new ObjectMapper().createObjectNode();
        var container = pod.withArray("/spec/containers").addObject();
        container.put("name", "main").put("image", "registry.example/training:1");
        container.withObject("/resources/limits").put("nvidia.com/gpu", Integer.toString(gpus));
        return new Task("Job", "team", name, pod::deepCopy, 1, 1, arrives, Optional.of(runsFor));
    }

    /** Returns a cluster with a spot pool, and an on-demand pool as the more expensive fallback. */
    static World world(Function<Pool, Behaviour> behaviours, long seed, List<Task> tasks) {
        return new World(new World.Setting(
                START,
                List.of(pool("spot", "spot", 10, "1.00"), pool("ondemand", "on-demand", 10, "4.00")),
                List.of(tier("gpu", "spot", "ondemand")),
                new Workload(tasks),
                behaviours,
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                seed));
    }
}
