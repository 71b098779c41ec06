package dev.trainyard.scaler;

import dev.trainyard.core.Names;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.observe.PodOnNode;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A cluster, a cloud, a scheduler and a scaler, in time that the test moves. */
final class World {

    static final Duration BOOT = Duration.ofSeconds(30);

    /** The process dies here. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    final MovedClock clock = new MovedClock();
    final FakeCluster cluster = new FakeCluster();
    final FakeCloud cloud = new FakeCloud(clock, BOOT);
    /** What the extender says. */
    final Reports reports = new Reports(() -> {}, clock);

    final List<String> events = new ArrayList<>();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final ScalerMetrics metrics = new ScalerMetrics(meters);
    /** Machines join and their drivers never come up. */
    boolean neverUsable;
    /** Machines run and no node comes of it. */
    boolean machinesNeverJoin;

    private final Map<String, Objects.PoolBuilder> pools = new TreeMap<>();
    private Round round = scaler();

    World pool(String name, Objects.PoolBuilder pool) {
        pools.put(name, pool);
        cluster.pool(name, pool.spec());
        return this;
    }

    World tier(String name, String... poolNames) {
        cluster.tier(name, Objects.tier(poolNames));
        return this;
    }

    World waiting(int count, String prefix, String tier, String... requests) {
        for (int i = 1; i <= count; i++) {
            cluster.add(Objects.waiting(prefix + "-" + i, tier, requests));
        }
        return this;
    }

    /** A new process, which knows nothing. */
    void restart() {
        round = scaler();
    }

    private Round scaler() {
        return new Round(
                cluster,
                clouds(),
                Names.NAMESPACE,
                (about, type, reason, action, message) ->
                        events.add(about.getMetadata().getName() + " " + reason + ": " + message),
                reports::reasons,
                metrics);
    }

    /** Calls are made and answered at once, in virtual time. */
    private Clouds clouds() {
        return new Clouds(
                Map.of("kwok", cloud),
                metrics,
                (provider, call) -> call.run(),
                Clouds.Timing.USUAL,
                clock,
                () -> Duration.between(Objects.NOON, clock.instant()).toNanos(),
                time -> {},
                () -> {});
    }

    Round.Result round() {
        return round.run(clock::instant);
    }

    /** A second passes: machines join, the scheduler places what fits, the scaler makes a round. */
    void second() {
        clock.move(Duration.ofSeconds(1));
        machinesJoin();
        schedule();
        round();
    }

    void seconds(int number) {
        for (int i = 0; i < number; i++) {
            second();
        }
    }

    void machinesJoin() {
        pools.forEach((pool, builder) -> cloud.machines(pool).keySet().forEach(machine -> {
            if (!machinesNeverJoin && cloud.running(pool, machine)) {
                cluster.nodes.computeIfAbsent(machine, name -> {
                    var node = Objects.node(name, pool, builder.spec());
                    node.getMetadata().setCreationTimestamp(clock.instant().toString());
                    if (neverUsable) {
                        node.getStatus().getAllocatable().remove("nvidia.com/gpu");
                    }
                    return node;
                });
            }
        }));
    }

    private void schedule() {
        for (var pod : List.copyOf(cluster.pods.values())) {
            if (pod.getSpec().getNodeName() != null) {
                continue;
            }
            var shape = PodReader.shapeOf(pod);
            cluster.nodes.values().stream()
                    .filter(node -> {
                        var used = cluster.podsOn(node.getMetadata().getName()).stream()
                                .map(PodOnNode::requests)
                                .reduce(Resources.NONE, Resources::plus);
                        var place = NodeReader.shapeOf(node);
                        return Fit.check(shape, place, place.allocatable().minus(used))
                                .isEmpty();
                    })
                    .findFirst()
                    .ifPresent(node -> cluster.place(
                            pod.getMetadata().getName(), node.getMetadata().getName()));
        }
    }

    List<String> eventsOf(String object) {
        return events.stream().filter(event -> event.startsWith(object + " ")).toList();
    }

    /** The metric. */
    int notCompleted() {
        return (int) meters.get("trainyard.scaler.not.completed.pods").gauge().value();
    }

    void finishAllJobs() {
        cluster.pods.replaceAll((name, pod) -> pod.getSpec().getNodeName() == null
                ? pod
                : new PodBuilder(pod)
                        .editStatus()
                        .withPhase("Succeeded")
                        .endStatus()
                        .build());
    }

    long placed() {
        return cluster.pods.values().stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .count();
    }

    long nodesOf(String pool) {
        return cluster.nodes.values().stream()
                .filter(node -> pool.equals(node.getMetadata().getLabels().get(Names.POOL)))
                .count();
    }
}
