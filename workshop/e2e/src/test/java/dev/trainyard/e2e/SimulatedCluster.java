package dev.trainyard.e2e;

import dev.trainyard.e2e.ClusterState.JobSummary;
import dev.trainyard.e2e.ClusterState.PoolSummary;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.report.EventReporter;
import dev.trainyard.simulation.CloudHabits;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Workload;
import dev.trainyard.simulation.workload.YamlWorkload;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A simulated cluster. */
final class SimulatedCluster implements StoryCluster {

    private static final Instant START = Instant.parse("2026-01-05T00:00:00Z");
    private static final Duration TIMEOUT = Duration.ofMinutes(30);
    private static final Duration STEP = Duration.ofMillis(100);
    private static final String NAMESPACE = "default";

    private final World world;
    /** The scaler's last message about each pending pod, by pod UID. */
    private final Map<String, String> told = new HashMap<>();

    SimulatedCluster() {
        var tells = new Disturbance() {
            @Override
            public EventReporter eventReporter() {
                return (about, type, reason, action, message) -> {
                    if (reason.equals("NotPlaceable")) {
                        told.put(about.getMetadata().getUid(), message);
                    }
                };
            }
        };
        world = new World(
                new World.Setting(
                        START,
                        List.of(),
                        List.of(),
                        new Workload(List.of()),
                        CloudHabits.USUAL::of,
                        Duration.ofSeconds(2),
                        Duration.ofMillis(200),
                        1),
                new VirtualTime(START),
                tells);
    }

    @Override
    public void create(String yaml) {
        var objects = ResourceFiles.read("scenario", new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
        var server = world.server();
        objects.ofKind(TrainingPool.class).forEach(server.pools()::create);
        objects.ofKind(TrainingTier.class).forEach(server.tiers()::create);
        var workload = YamlWorkload.of(objects);
        workload.priorityClasses().forEach(server.priorityClasses()::create);
        pass(); // lets informers see the objects first, as in a real cluster, where kubectl takes time between objects
        workload.tasks().forEach(world::create);
    }

    @Override
    public void scale(String deployment, int replicas) {
        world.scale(NAMESPACE, deployment, replicas);
    }

    @Override
    public void reclaimMachines(String pool) {
        world.cloud().running(pool).forEach(machine -> world.takeBack(pool, machine));
    }

    @Override
    public void await(String what, Predicate<ClusterState> holds) {
        var deadline = world.time().elapsed().plus(TIMEOUT);
        while (!holds.test(standing())) {
            if (world.time().elapsed().compareTo(deadline) > 0) {
                throw new AssertionError("in the simulation: did not happen within %s: %s. Instead:%n%s"
                        .formatted(TIMEOUT, what, standing()));
            }
            pass();
        }
    }

    private void pass() {
        world.passTo(world.time().elapsed().plus(STEP));
    }

    @Override
    public ClusterState standing() {
        var jobs = new TreeMap<String, JobSummary>();
        world.owned().stream()
                .filter(owned -> owned.kind().equals("Job"))
                .forEach(owned -> jobs.put(
                        owned.name(),
                        new JobSummary(
                                owned.succeeded(), owned.failed(), owned.ended().orElse("running"))));
        var pools = new TreeMap<String, PoolSummary>();
        var used = world.record().pools();
        for (var pool : world.server().pools().all()) {
            var name = pool.getMetadata().getName();
            long nodes = world.server().nodes().all().stream()
                    .filter(node -> node.getMetadata().getName().startsWith(name + "-"))
                    .count();
            pools.put(
                    name,
                    PoolSummary.of(
                            pool, nodes, used.containsKey(name) ? used.get(name).made() : 0));
        }
        return new ClusterState(
                jobs, ClusterState.tell(world.server().pods().all(), pools.keySet(), this::whyWaiting), pools);
    }

    private Optional<String> whyWaiting(Pod pod) {
        return Optional.ofNullable(told.get(pod.getMetadata().getUid()));
    }

    @Override
    public void close() {}
}
