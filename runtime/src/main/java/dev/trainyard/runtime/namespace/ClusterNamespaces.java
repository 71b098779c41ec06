package dev.trainyard.runtime.namespace;

import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.runtime.kubernetes.WatchLoss;
import dev.trainyard.runtime.kubernetes.WatchedVersion;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A watch of the namespaces of a cluster. */
public final class ClusterNamespaces implements NamespaceSource {

    private static final Logger log = LoggerFactory.getLogger(ClusterNamespaces.class);

    /** The time after which an interrupted watch counts as lost. The time is longer than a watch needs to reopen. */
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final SharedIndexInformer<Namespace> informer;
    private final WatchLoss loss = new WatchLoss(TIMEOUT, System::nanoTime);

    private ClusterNamespaces(SharedIndexInformer<Namespace> informer) {
        this.informer = informer;
    }

    /** Starts the watch, and returns before the first namespaces have arrived. */
    public static ClusterNamespaces watch(KubernetesClient client, MeterRegistry registry) {
        var informer = client.namespaces().runnableInformer(0);
        WatchedVersion.measure(informer, "namespaces", registry);
        informer.exceptionHandler((started, problem) -> {
            log.warn("watching namespaces failed, trying again: {}", String.valueOf(problem.getMessage()));
            return true;
        });
        informer.start();
        return new ClusterNamespaces(informer);
    }

    @Override
    public Optional<NamespaceFacts> facts(String namespace) {
        return Optional.ofNullable(informer.getStore().getByKey(namespace)).map(FileNamespaces::factsOf);
    }

    /**
     * Whether all namespaces are known. The result is also false while the watch is lost, so that the webhook is not ready. A webhook
     * without a watch never learns of new namespaces, so it would reject the pods of these namespaces again and again.
     */
    @Override
    public boolean isComplete() {
        return informer.hasSynced() && !loss.isLost(informer.isWatching());
    }

    @Override
    public void close() {
        informer.stop();
    }
}
