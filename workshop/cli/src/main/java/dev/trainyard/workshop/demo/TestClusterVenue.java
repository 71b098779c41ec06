package dev.trainyard.workshop.demo;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.workshop.cluster.ChosenCloud;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A real control plane with Trainyard on it. */
final class TestClusterVenue implements Venue {

    private final TestCluster testCluster;
    private final ChosenCloud cloud;
    private final KubernetesClient client;

    /** @param cloud the cloud of the pools, whose agents put signs on nodes */
    TestClusterVenue(TestCluster testCluster, ChosenCloud cloud) {
        this.testCluster = testCluster;
        this.cloud = cloud;
        this.client = testCluster.client();
    }

    @Override
    public String kubernetes() {
        return client.getKubernetesVersion().getGitVersion();
    }

    @Override
    public Clock clock() {
        return Clock.systemUTC();
    }

    @Override
    public Watching watchedBy(Observer observer) {
        var informers = List.<SharedIndexInformer<?>>of(
                client.nodes().inform(handler(observer::nodeChanged)),
                client.resources(TrainingPool.class).inform(handler(observer::poolChanged)),
                client.pods().inAnyNamespace().inform(handler(observer::podChanged)),
                client.resources(Event.class).inAnyNamespace().inform(handler(observer::eventChanged)));
        return () -> informers.forEach(SharedIndexInformer::stop);
    }

    @Override
    public Reply createNamespace(String name) {
        return kubectl(List.of("create", "namespace", name));
    }

    @Override
    public Reply create(String namespace, String file) {
        return kubectl(List.of("create", "--namespace", namespace, "-f", file));
    }

    @Override
    public Reply apply(List<String> files) {
        var arguments = new ArrayList<>(List.of("apply"));
        files.forEach(file -> arguments.addAll(List.of("-f", file)));
        return kubectl(arguments);
    }

    @Override
    public Reply announceReclaim(String node) {
        return testCluster
                .announceReclaim(node)
                .map(command -> new Reply(command, true, "the emulated AWS has sent the message"))
                .orElseGet(() -> kubectl(
                        ReclaimSign.command(cloud, node, clock().instant().truncatedTo(ChronoUnit.SECONDS))));
    }

    @Override
    public Reply showPools(List<String> names) {
        return kubectl(
                Stream.concat(Stream.of("get", "trainingpools"), names.stream()).toList());
    }

    @Override
    public Reply showEvents(String namespace, String pod) {
        return kubectl(List.of("events", "--namespace", namespace, "--for", "pod/" + pod));
    }

    private Reply kubectl(List<String> arguments) {
        var result = testCluster.kubectl().run(arguments);
        var command = arguments.stream().map(TestClusterVenue::quoted).collect(Collectors.joining(" ", "kubectl ", ""));
        return new Reply(command, result.succeeded(), result.output());
    }

    private static String quoted(String argument) {
        return argument.contains(" ") ? "'" + argument + "'" : argument;
    }

    @Override
    public List<Pod> pods(String namespace) {
        return client.pods().inNamespace(namespace).list().getItems();
    }

    @Override
    public List<String> unfinishedJobs(String namespace) {
        return jobs(namespace).stream()
                .filter(job -> !isComplete(job))
                .map(job -> job.getMetadata().getName())
                .toList();
    }

    @Override
    public int countedFailures(String namespace) {
        return jobs(namespace).stream()
                .map(Job::getStatus)
                .filter(status -> status != null && status.getFailed() != null)
                .mapToInt(JobStatus::getFailed)
                .sum();
    }

    private List<Job> jobs(String namespace) {
        return client.batch().v1().jobs().inNamespace(namespace).list().getItems();
    }

    private static boolean isComplete(Job job) {
        return job.getStatus() != null
                && job.getStatus().getConditions() != null
                && job.getStatus().getConditions().stream()
                        .anyMatch(condition ->
                                "Complete".equals(condition.getType()) && "True".equals(condition.getStatus()));
    }

    @Override
    public Optional<TrainingPool> pool(String name) {
        return Optional.ofNullable(
                client.resources(TrainingPool.class).withName(name).get());
    }

    @Override
    public long nodesOf(String pool) {
        return client.nodes().withLabel(Names.POOL, pool).list().getItems().size();
    }

    @Override
    public double extenderCalls() {
        return DemoMetrics.read(
                testCluster.operationsUrl(InstalledComponent.EXTENDER),
                "trainyard_extender_calls_seconds_count",
                "verb=\"choose\"");
    }

    @Override
    public void pause(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ExpectationException("interrupted");
        }
    }

    @Override
    public String hints() {
        var missing = Arrays.stream(InstalledComponent.values())
                .filter(part -> !testCluster.isRunning(part))
                .map(part -> " The %s is not running%s."
                        .formatted(
                                part.command(),
                                Files.exists(testCluster.log(part)) ? " (log: " + testCluster.log(part) + ")" : ""))
                .toList();
        return missing.isEmpty() ? " Logs: " + testCluster.controlPlane().logs() : String.join("", missing);
    }

    /**
     * Returns a handler that passes on an object's states before and after each change. The state before a creation and the state after a
     * removal are empty.
     */
    private static <T> ResourceEventHandler<T> handler(BiConsumer<Optional<T>, Optional<T>> changed) {
        return new ResourceEventHandler<>() {
            @Override
            public void onAdd(T object) {
                changed.accept(Optional.empty(), Optional.of(object));
            }

            @Override
            public void onUpdate(T before, T after) {
                changed.accept(Optional.of(before), Optional.of(after));
            }

            @Override
            public void onDelete(T object, boolean deletedFinalStateUnknown) {
                changed.accept(Optional.of(object), Optional.empty());
            }
        };
    }
}
