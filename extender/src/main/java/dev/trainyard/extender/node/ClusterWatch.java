package dev.trainyard.extender.node;

import dev.trainyard.runtime.kubernetes.WatchLoss;
import dev.trainyard.runtime.kubernetes.WatchedVersion;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch that feeds a {@link NodeIndex} with the nodes of a cluster, and with pods that use a node or wait for one. The informers keep
 * only names and versions, to save memory. The index keeps the relevant data of each object, in a hundredth of the object's size.
 */
public final class ClusterWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ClusterWatch.class);

    private final SharedIndexInformer<Node> nodes;
    private final SharedIndexInformer<Pod> pods;
    private final CompletableFuture<Void> nodesListed = new CompletableFuture<>();
    private final CompletableFuture<Void> podsListed = new CompletableFuture<>();

    private final WatchLoss loss = new WatchLoss(Duration.ZERO, System::nanoTime);

    private ClusterWatch(KubernetesClient client) {
        nodes = client.nodes().runnableInformer(0).itemStore(new VersionStore<>(Node::new));
        pods = client.pods()
                .inAnyNamespace()
                .withoutField("status.phase", "Succeeded")
                .withoutField("status.phase", "Failed")
                .runnableInformer(0)
                .itemStore(new VersionStore<>(Pod::new));
    }

    /** Starts to watch; returns before the first objects arrive. Retries while the API server is not available. */
    public static ClusterWatch start(KubernetesClient client, NodeIndex index, MeterRegistry registry) {
        var watch = new ClusterWatch(client);
        watch.nodes.addEventHandler(new Feed<>(index::put, index::remove, watch.nodesListed));
        watch.pods.addEventHandler(new Feed<>(index::put, index::remove, watch.podsListed));
        WatchedVersion.measure(watch.nodes, "nodes", registry);
        WatchedVersion.measure(watch.pods, "pods", registry);
        watch.nodes.exceptionHandler((started, problem) -> retry("nodes", problem));
        watch.pods.exceptionHandler((started, problem) -> retry("pods", problem));
        watch.nodes.start();
        watch.pods.start();
        return watch;
    }

    /** Returns a future that completes when all nodes and pods that existed at the start are in the index. */
    public CompletableFuture<Void> listed() {
        return CompletableFuture.allOf(nodesListed, podsListed);
    }

    /**
     * Returns the time for which changes of nodes or pods may have been missed; zero while both are watched. Must be called regularly,
     * because each call records whether the watches are alive.
     */
    public Duration age() {
        return loss.age(nodes.isWatching() && pods.isWatching());
    }

    @Override
    public void close() {
        nodes.stop();
        pods.stop();
    }

    private static boolean retry(String what, Throwable problem) {
        log.warn("watching {} failed, trying again: {}", what, String.valueOf(problem.getMessage()));
        return true;
    }

    private record Feed<T extends HasMetadata>(Consumer<T> put, Consumer<T> remove, CompletableFuture<Void> listed)
            implements ResourceEventHandler<T> {
        @Override
        public void onAdd(T object) {
            put.accept(object);
        }

        @Override
        public void onUpdate(T before, T after) {
            put.accept(after);
        }

        @Override
        public void onDelete(T object, boolean deletedFinalStateUnknown) {
            remove.accept(object);
        }

        /**
         * Runs after the events of a list were handled, on the thread of these events. The informer's {@code hasSynced} may be true before
         * the events were handled.
         */
        @Override
        public void onList(String resourceVersion, boolean remainedInSync) {
            listed.complete(null);
        }
    }
}
