package dev.trainyard.bench.scheduler;

import dev.trainyard.bench.process.ClusterPreparation;
import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.ControlPlaneOptions;
import dev.trainyard.local.Definitions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
    private static final Duration LOOK = Duration.ofMillis(200);
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
        var preparation = new ClusterPreparation(client);
        manifests.forEach(preparation::apply);
        Definitions.awaitEstablished(client, "trainingpools.trainyard.dev", "trainingtiers.trainyard.dev");
        preparation.apply(ClusterObjects.policy());
        preparation.createNamespace(NAMESPACE, TIMEOUT);
    }

    private void makeNodes(int count) {
        inParallel(count, number -> client.resource(objects.node(number)).create());
        await(
                "all nodes to become Ready",
                () -> client.nodes().list().getItems().stream()
                                .filter(ClusterPreparation::isUsable)
                                .count()
                        == count);
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
        ClusterPreparation.await(what, TIMEOUT, LOOK, condition);
    }

    @Override
    public void close() {
        clients.shutdownNow();
        client.close();
        controlPlane.close();
    }
}
