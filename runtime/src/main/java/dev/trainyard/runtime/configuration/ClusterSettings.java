package dev.trainyard.runtime.configuration;

import dev.trainyard.runtime.resource.TrainingCluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A watch of a cluster's TrainingCluster objects. If the objects cannot be listed, {@link #all} is empty instead of failing. An older
 * installation may lack the CustomResourceDefinition of these objects, or the permission to read them. Thread-safe.
 */
public final class ClusterSettings implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ClusterSettings.class);

    private final SharedIndexInformer<TrainingCluster> informer;
    private final AtomicBoolean failed = new AtomicBoolean();

    private ClusterSettings(KubernetesClient client) {
        informer = client.resources(TrainingCluster.class).runnableInformer(0);
    }

    /**
     * Starts the watch, and returns before the objects have arrived.
     *
     * @param changed action to run after each change, and after the first failure to list the objects
     */
    public static ClusterSettings watch(KubernetesClient client, Runnable changed) {
        var settings = new ClusterSettings(client);
        settings.informer.addEventHandler(new Changes<>(changed));
        settings.informer.exceptionHandler((started, problem) -> {
            if (settings.failed.compareAndSet(false, true)) {
                log.warn(
                        "TrainingClusters cannot be watched ({}), so default settings apply for now; if the definition "
                                + "or a right is missing, apply manifests/base of the running Trainyard version",
                        String.valueOf(problem.getMessage()));
                changed.run();
            }
            return true;
        });
        var unused = settings.informer.start().whenComplete((done, problem) -> changed.run());
        return settings;
    }

    /** Whether all existing objects have been read, or an attempt to read them has failed. */
    public boolean isKnown() {
        return informer.hasSynced() || failed.get();
    }

    public List<TrainingCluster> all() {
        return informer.getStore().list();
    }

    @Override
    public void close() {
        informer.stop();
    }
}
