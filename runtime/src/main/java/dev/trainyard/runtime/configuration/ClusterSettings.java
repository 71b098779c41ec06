package dev.trainyard.runtime.configuration;

import dev.trainyard.runtime.resource.TrainingCluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TrainingCluster objects of a cluster, watched. If they cannot be listed, there are none: an older installation lacks their definition, or
 * the right to read them. Thread-safe.
 */
public final class ClusterSettings implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ClusterSettings.class);

    private final SharedIndexInformer<TrainingCluster> informer;
    private final AtomicBoolean failed = new AtomicBoolean();

    private ClusterSettings(KubernetesClient client) {
        informer = client.resources(TrainingCluster.class).runnableInformer(0);
    }

    /**
     * Starts watching; returns before the objects are here.
     *
     * @param changed run after each change, and when it is known that the objects cannot be listed
     */
    public static ClusterSettings watch(KubernetesClient client, Runnable changed) {
        var settings = new ClusterSettings(client);
        settings.informer.addEventHandler(new Changes<>(changed));
        settings.informer.exceptionHandler((started, problem) -> {
            if (settings.failed.compareAndSet(false, true)) {
                log.warn(
                        "TrainingClusters cannot be watched, so that their settings have the defaults until this succeeds; apply manifests/base of the Trainyard that runs: {}",
                        String.valueOf(problem.getMessage()));
                changed.run();
            }
            return true;
        });
        var unused = settings.informer.start().whenComplete((done, problem) -> changed.run());
        return settings;
    }

    /** Whether all that there were have been seen, or cannot be. */
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
