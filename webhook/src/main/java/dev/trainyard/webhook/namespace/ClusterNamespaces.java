package dev.trainyard.webhook.namespace;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The namespaces of a cluster, watched. */
public final class ClusterNamespaces implements NamespaceSource {

    private static final Logger log = LoggerFactory.getLogger(ClusterNamespaces.class);

    private final SharedIndexInformer<Namespace> informer;

    private ClusterNamespaces(SharedIndexInformer<Namespace> informer) {
        this.informer = informer;
    }

    /** Starts watching; returns before the first namespaces are here. */
    public static ClusterNamespaces watch(KubernetesClient client) {
        var informer = client.namespaces().runnableInformer(0);
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

    @Override
    public boolean isComplete() {
        return informer.hasSynced();
    }

    @Override
    public void close() {
        informer.stop();
    }
}
