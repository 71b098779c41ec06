package dev.trainyard.workshop.demo;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.report.EventReporter;
import dev.trainyard.simulation.CloudHabits;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.OwnerState;
import dev.trainyard.simulation.cluster.SimulatedComponent;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Task;
import dev.trainyard.simulation.workload.Workload;
import dev.trainyard.simulation.workload.YamlWorkload;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.PackedManifests;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Trainyard in a simulated cluster, with answers like those of kubectl. Time is virtual and passes only while a scenario waits, so every
 * run gives the same result.
 */
final class SimulatedVenue implements Venue {

    private static final Instant START = Instant.parse("2026-01-05T00:00:00Z");
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(2); // as in TestClusterOptions.defaults()
    private static final Duration BATCH_WINDOW = Duration.ofMillis(200);
    /** The interval at which the scaler reads a pool with an operation in progress, as with kwok's provider. */
    private static final Duration ATTENTION = Duration.ofMillis(500);

    private static final long SEED = 1;

    /** The behaviour of the machines, as with kwok: a machine ends only on request. */
    private static final CloudHabits CLOUDS = new CloudHabits(
            Duration.ofSeconds(3),
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Optional.empty(),
            Map.of(),
            Duration.ZERO,
            Map.of());

    private final World world;
    private final Set<InstalledComponent> without;
    private final Duration job;
    private final Map<String, EventTable> events = new HashMap<>(); // by the UID of the object
    private @Nullable Observer observer;

    /**
     * @param without the components that are left out
     * @param job the duration of a training
     */
    SimulatedVenue(Set<InstalledComponent> without, Duration job) {
        this.without = without;
        this.job = job;
        this.world = new World(
                new World.Setting(
                        START,
                        List.of(),
                        List.of(),
                        new Workload(List.of()),
                        CLOUDS::of,
                        SCAN_INTERVAL,
                        BATCH_WINDOW,
                        SEED),
                new VirtualTime(START),
                new Circumstances());
    }

    private final class Circumstances implements Disturbance {
        @Override
        public boolean lacks(SimulatedComponent component) {
            return without.contains(InstalledComponent.valueOf(component.name()));
        }

        @Override
        public Duration attention() {
            return ATTENTION;
        }

        @Override
        public EventReporter eventReporter() {
            return (about, type, reason, action, message) -> {
                events.computeIfAbsent(about.getMetadata().getUid(), uid -> new EventTable(about))
                        .add(type, reason, message, world.time().instant());
                if (observer != null) {
                    observer.told("scaler", about, reason, message);
                }
            };
        }
    }

    @Override
    public String kubernetes() {
        return "simulated";
    }

    @Override
    public Clock clock() {
        return world.time();
    }

    @Override
    public Watching watchedBy(Observer newObserver) {
        observer = newObserver;
        var server = world.server();
        watch(server.nodes(), newObserver::nodeChanged);
        watch(server.pools(), newObserver::poolChanged);
        watch(server.pods(), newObserver::podChanged);
        return () -> observer = null;
    }

    private static <T extends HasMetadata> void watch(
            ObjectStore<T> shelf, BiConsumer<Optional<T>, Optional<T>> changed) {
        shelf.inform(Lag.USUAL).tell(new Watch<>() {
            @Override
            public void added(T object) {
                changed.accept(Optional.empty(), Optional.of(object));
            }

            @Override
            public void changed(T before, T after) {
                changed.accept(Optional.of(before), Optional.of(after));
            }

            @Override
            public void removed(T last) {
                changed.accept(Optional.of(last), Optional.empty());
            }
        });
    }

    @Override
    public Reply createNamespace(String name) {
        var namespace = new NamespaceBuilder().withNewMetadata().withName(name).endMetadata();
        return answered(
                "kubectl create namespace " + name,
                () -> List.of(created("namespace", world.server().namespaces().create(namespace.build()))));
    }

    @Override
    public Reply create(String namespace, String file) {
        return answered("kubectl create --namespace %s -f %s".formatted(namespace, file), () -> {
            var lines = new ArrayList<String>();
            for (var task : YamlWorkload.of(PackedManifests.read(file)).tasks()) {
                var timed = isTimed(task) ? task : task.running(job);
                world.create(timed.in(namespace));
                var kind = task.kind().equals("Job") ? "job.batch" : task.kind().toLowerCase(Locale.ROOT);
                lines.add("%s/%s created".formatted(kind, task.name()));
            }
            return lines;
        });
    }

    /** Whether an annotation of the pod template states how long a pod runs. */
    private static boolean isTimed(Task task) {
        return task.template().get().path("metadata").path("annotations").has(YamlWorkload.DURATION);
    }

    @Override
    public Reply apply(List<String> files) {
        return answered("kubectl apply -f " + String.join(" -f ", files), () -> {
            var lines = new ArrayList<String>();
            for (var file : files) {
                apply(PackedManifests.read(file), lines);
            }
            return lines;
        });
    }

    private void apply(ResourceFiles objects, List<String> lines) {
        var server = world.server();
        objects.ofKind(TrainingPool.class)
                .forEach(pool -> lines.add(
                        created("trainingpool.trainyard.dev", server.pools().create(pool))));
        objects.ofKind(TrainingTier.class)
                .forEach(tier -> lines.add(
                        created("trainingtier.trainyard.dev", server.tiers().create(tier))));
        objects.ofKind(Namespace.class)
                .forEach(namespace ->
                        lines.add(created("namespace", server.namespaces().create(namespace))));
    }

    private static String created(String kind, HasMetadata object) {
        return "%s/%s created".formatted(kind, object.getMetadata().getName());
    }

    @Override
    public Reply announceReclaim(String node) {
        world.server()
                .nodes()
                .changeIfThere(
                        node,
                        before -> new NodeBuilder(before)
                                .editSpec()
                                .addToTaints(ReclaimSign.taint())
                                .endSpec()
                                .build());
        return new Reply(
                "kubectl " + String.join(" ", ReclaimSign.tainting(node)), true, "node/%s tainted".formatted(node));
    }

    @Override
    public Reply showPools(List<String> names) {
        var server = world.server();
        var pools = Catalogues.of(server.pools().all(), server.tiers().all()).pools();
        var shown = server.pools().all().stream()
                .filter(pool ->
                        names.isEmpty() || names.contains(pool.getMetadata().getName()))
                .toList();
        return new Reply(
                "kubectl get trainingpools"
                        + names.stream().map(name -> " " + name).collect(Collectors.joining()),
                true,
                PoolTable.of(shown, pools, world.time().instant()));
    }

    @Override
    public Reply showEvents(String namespace, String pod) {
        var uid = world.server()
                .pods()
                .get(namespace + "/" + pod)
                .map(found -> found.getMetadata().getUid());
        return new Reply(
                "kubectl events --namespace %s --for pod/%s".formatted(namespace, pod),
                true,
                uid.flatMap(known -> Optional.ofNullable(events.get(known)))
                        .map(table -> table.asOf(world.time().instant()))
                        .orElse("No events found in %s namespace.".formatted(namespace)));
    }

    private interface Answer {
        List<String> lines();
    }

    private static Reply answered(String command, Answer answer) {
        try {
            return new Reply(command, true, String.join("\n", answer.lines()));
        } catch (ApiException e) {
            return new Reply(command, false, "Error from server: " + e.getMessage());
        }
    }

    @Override
    public List<Pod> pods(String namespace) {
        return world.server().pods().all().stream()
                .filter(pod -> namespace.equals(pod.getMetadata().getNamespace()))
                .toList();
    }

    @Override
    public List<String> unfinishedJobs(String namespace) {
        return world.owned().stream()
                .filter(owned -> owned.namespace().equals(namespace)
                        && !owned.ended().filter("Complete"::equals).isPresent())
                .map(OwnerState::name)
                .toList();
    }

    @Override
    public int countedFailures(String namespace) {
        return world.owned().stream()
                .filter(owned -> owned.namespace().equals(namespace))
                .mapToInt(OwnerState::failed)
                .sum();
    }

    @Override
    public Optional<TrainingPool> pool(String name) {
        return world.server().pools().get(name);
    }

    @Override
    public long nodesOf(String pool) {
        return world.server().nodes().all().stream()
                .filter(node -> pool.equals(node.getMetadata().getLabels().get(Names.POOL)))
                .count();
    }

    @Override
    public double extenderCalls() {
        return world.extenderCalls();
    }

    @Override
    public void pause(Duration time) {
        world.passTo(world.time().elapsed().plus(time));
    }

    @Override
    public String hints() {
        return without.stream()
                .sorted()
                .map(part -> " The %s is not running.".formatted(part.command()))
                .collect(Collectors.joining());
    }
}
