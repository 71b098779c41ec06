package dev.trainyard.bench.scheduler;

import dev.trainyard.bench.process.BenchException;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.Definitions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * A real control plane without a scheduler, with nodes that kwok keeps Ready. Bound pods stay Pending: if kwok started them, kwok would use
 * CPU time that the scheduler needs. In a real cluster, kubelets on other machines start the pods. Not thread-safe.
 */
final class SchedulerCluster implements AutoCloseable {

    static final String NAMESPACE = "training";

    private static final int CLIENTS = 8;
    private static final int LOOK_MILLIS = 200;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Duration NEVER = Duration.ofDays(1);
    private static final List<String> GROUPS = List.of("system:serviceaccounts");

    private final ControlPlane controlPlane;
    private final KubernetesClient client;
    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final ClusterObjects objects = new ClusterObjects();

    private SchedulerCluster(ControlPlane controlPlane) {
        this.controlPlane = controlPlane;
        this.client = controlPlane.client();
    }

    /** Starts the cluster, and returns when all nodes can take pods. */
    static SchedulerCluster start(List<String> manifests, int nodes, Consumer<String> progress) {
        var controlPlane =
                ControlPlane.start(ControlPlaneOptions.defaults().withPodStartDelay(NEVER), progress::accept);
        var cluster = new SchedulerCluster(controlPlane);
        try {
            controlPlane.kill(ControlPlane.SCHEDULER);
            cluster.install(manifests);
            progress.accept("Creating %,d nodes".formatted(nodes));
            cluster.makeNodes(nodes);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    ControlPlane controlPlane() {
        return controlPlane;
    }

    KubernetesClient client() {
        return client;
    }

    /** Returns a kubeconfig with the rights of a ServiceAccount of Trainyard. */
    Path rightsOf(String serviceAccount) {
        return controlPlane.kubeconfigFor(userOf(serviceAccount), GROUPS);
    }

    /** Returns the API server's user name of a ServiceAccount of Trainyard. */
    static String userOf(String serviceAccount) {
        return "system:serviceaccount:%s:%s".formatted(Names.NAMESPACE, serviceAccount);
    }

    /** Creates pending pods. */
    void makePods(int count) {
        inParallel(
                count, number -> client.resource(objects.pod(NAMESPACE, number)).create());
    }

    /** Deletes the pods of {@link #makePods}, and returns when none is left. */
    void removePods(int count) {
        var pods = client.pods().inNamespace(NAMESPACE);
        inParallel(
                count,
                number -> pods.withName(ClusterObjects.podName(number))
                        .withGracePeriod(0)
                        .delete());
        var one = new ListOptionsBuilder().withLimit(1L).build();
        await("all pods to be deleted", () -> pods.list(one).getItems().isEmpty());
    }

    private void install(List<String> manifests) {
        manifests.forEach(this::apply);
        Definitions.awaitEstablished(client, "trainingpools.trainyard.dev", "trainingtiers.trainyard.dev");
        apply(ClusterObjects.policy());
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
        client.serviceAccounts()
                .inNamespace(NAMESPACE)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private void apply(String yaml) {
        client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
    }

    private void makeNodes(int count) {
        inParallel(count, number -> client.resource(objects.node(number)).create());
        await(
                "all nodes to become Ready",
                () -> client.nodes().list().getItems().stream()
                                .filter(SchedulerCluster::isUsable)
                                .count()
                        == count);
    }

    /** Whether the node is Ready, and the node lifecycle controller has removed its taints. */
    private static boolean isUsable(Node node) {
        return node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"))
                && node.getSpec().getTaints().stream()
                        .noneMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/"));
    }

    private void inParallel(int count, IntConsumer request) {
        try {
            CompletableFuture.allOf(IntStream.range(0, count)
                            .mapToObj(number -> CompletableFuture.runAsync(() -> request.accept(number), clients))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        try {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - start > TIMEOUT.toNanos()) {
                    throw new BenchException("timeout: waited %d s for %s".formatted(TIMEOUT.toSeconds(), what));
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }

    @Override
    public void close() {
        clients.shutdownNow();
        client.close();
        controlPlane.close();
    }
}
