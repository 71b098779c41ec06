package dev.trainyard.e2e;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A new namespace for a test, with queries about its objects. These objects are deleted after the test. */
final class TrainingGround implements AutoCloseable {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** A generous timeout, not a claim about speed: computers that run tests may be several times slower than others. */
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    /** The number of log lines in a failure message. */
    private static final int TOLD = 40;

    private final TestCluster testCluster;
    private final String namespace;

    private TrainingGround(TestCluster testCluster, String namespace) {
        this.testCluster = testCluster;
        this.namespace = namespace;
    }

    static TrainingGround open(TestCluster testCluster) {
        var namespace = "ground-" + NUMBER.incrementAndGet();
        testCluster
                .client()
                .namespaces()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create();
        RegisteredWebhook.awaitServiceAccount(testCluster.client(), namespace);
        return new TrainingGround(testCluster, namespace);
    }

    String namespace() {
        return namespace;
    }

    /** Runs kubectl in the namespace. The command must succeed. */
    String kubectl(String... arguments) {
        return testCluster.kubectl().succeed(inNamespace(arguments));
    }

    /** Runs kubectl in the namespace, and returns its output. The command must fail. */
    String kubectlFails(String... arguments) {
        var result = testCluster.kubectl().run(inNamespace(arguments));
        if (result.succeeded()) {
            throw new AssertionError("kubectl %s should have failed, but said: %s"
                    .formatted(String.join(" ", arguments), result.output()));
        }
        return result.output();
    }

    /** Writes {@code yaml} to a file, and returns its name for kubectl. */
    String file(String yaml) {
        var name = "object-" + NUMBER.incrementAndGet() + ".yaml";
        try {
            Files.writeString(testCluster.controlPlane().dir().resolve(name), yaml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return name;
    }

    /** Returns a Job like {@code manifests/examples/tftrain.yaml}, with the given GPUs, parallel pods and pod annotations. */
    String job(String name, int gpus, int pods, String annotations) {
        return jobs(List.of(name), gpus, pods, any -> annotations);
    }

    /**
     * Returns a file of Jobs like that of {@link #job}.
     *
     * @param annotations returns the annotations of the pods of the Job of a name
     */
    String jobs(List<String> names, int gpus, int pods, UnaryOperator<String> annotations) {
        return file(names.stream()
                .map(name -> yaml(name, gpus, pods, annotations.apply(name)))
                .collect(Collectors.joining("---\n")));
    }

    private static String yaml(String name, int gpus, int pods, String annotations) {
        return """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: %s}
                spec:
                  completions: %d
                  parallelism: %d
                  completionMode: Indexed
                  template:
                    metadata: {annotations: {%s}}
                    spec:
                      restartPolicy: Never
                      containers:
                        - name: tensorflow
                          image: tensorflow/tensorflow:latest-gpu
                          command: ["python", "main.py"]
                          resources: {limits: {nvidia.com/gpu: %d}}
                """.formatted(name, pods, pods, annotations, gpus);
    }

    List<Pod> pods() {
        return testCluster.client().pods().inNamespace(namespace).list().getItems();
    }

    /** Returns the running and succeeded pods. */
    List<Pod> placedPods() {
        return pods().stream()
                .filter(pod ->
                        List.of("Running", "Succeeded").contains(pod.getStatus().getPhase()))
                .toList();
    }

    /** Waits for the only pod and returns it. */
    Pod pod() {
        return await("a pod in " + namespace, () -> pods().stream().findFirst());
    }

    List<Node> nodesOf(String pool) {
        return testCluster.client().nodes().withLabel(Names.POOL, pool).list().getItems();
    }

    TrainingPool pool(String name) {
        return testCluster.client().resources(TrainingPool.class).withName(name).require();
    }

    /** Returns the texts of all Events about the namespace's objects, as {@code reason: note}. */
    List<String> events() {
        return testCluster.client().resources(Event.class).inNamespace(namespace).list().getItems().stream()
                .map(event -> event.getReason() + ": " + event.getNote())
                .toList();
    }

    /** Returns the last lines of the scaler's log that contain one of the words, to explain a failure. */
    static String scalerOf(TestCluster testCluster, Collection<String> words) {
        var log = testCluster.controlPlane().logs().resolve(InstalledComponent.SCALER.command() + ".log");
        try (var lines = Files.lines(log)) {
            var found = lines.filter(line -> words.stream().anyMatch(line::contains))
                    .toList();
            return String.join("\n", found.subList(Math.max(0, found.size() - TOLD), found.size()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until a Job has completed. A failure message includes the states of the namespace's pods. */
    void awaitSucceeded(String job, int pods) {
        try {
            awaitTrue("%d trainings of %s ran".formatted(pods, job), () -> succeeded(job) == pods);
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; there are " + fates(), e);
        }
    }

    private int succeeded(String job) {
        var status = testCluster
                .client()
                .batch()
                .v1()
                .jobs()
                .inNamespace(namespace)
                .withName(job)
                .require()
                .getStatus();
        return status == null || status.getSucceeded() == null ? 0 : status.getSucceeded();
    }

    /** Returns the number of pods by phase, with the reasons of pending pods. */
    private Map<String, Long> fates() {
        return pods().stream()
                .collect(Collectors.groupingBy(
                        pod -> Stream.concat(
                                        Stream.of(pod.getStatus().getPhase()),
                                        pod.getStatus().getConditions().stream()
                                                .filter(condition -> condition.getMessage() != null)
                                                .map(PodCondition::getMessage))
                                .collect(Collectors.joining(": ")),
                        TreeMap::new,
                        Collectors.counting()));
    }

    void awaitPoolEmpty(String pool) {
        awaitTrue("pool %s is empty again".formatted(pool), () -> {
            var status = pool(pool).getStatus();
            return nodesOf(pool).isEmpty()
                    && status != null
                    && Integer.valueOf(0).equals(status.target());
        });
    }

    static void awaitTrue(String what, Supplier<Boolean> holds) {
        await(what, () -> holds.get() ? Optional.of(true) : Optional.empty());
    }

    /** Polls until there is a value; fails after a timeout with {@code what} in the message. */
    static <T> T await(String what, Supplier<Optional<T>> value) {
        var deadline = Instant.now().plus(TIMEOUT);
        while (Instant.now().isBefore(deadline)) {
            var found = value.get();
            if (found.isPresent()) {
                return found.get();
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
        throw new AssertionError("did not happen within %ds: %s".formatted(TIMEOUT.toSeconds(), what));
    }

    @Override
    public void close() {
        testCluster.client().namespaces().withName(namespace).delete();
    }

    private List<String> inNamespace(String... arguments) {
        var all = new java.util.ArrayList<>(List.of("--namespace", namespace));
        all.addAll(List.of(arguments));
        return all;
    }
}
