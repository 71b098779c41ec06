package dev.trainyard.runtime.configuration;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration of a cluster, from a watch of the TrainingPools, TrainingTiers and TrainingClusters. A change of an object's status is
 * ignored, unless the change is about a machine size that a cloud reported.
 */
public final class ClusterConfiguration implements ConfigurationSource {

    private static final Logger log = LoggerFactory.getLogger(ClusterConfiguration.class);

    private final SharedIndexInformer<TrainingPool> pools;
    private final SharedIndexInformer<TrainingTier> tiers;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile Catalogue current = Catalogue.EMPTY;
    private volatile boolean complete;
    /** Null until {@link #watch} has started the watch. */
    private volatile @Nullable ClusterSettings settings;

    private ClusterConfiguration(KubernetesClient client) {
        pools = client.resources(TrainingPool.class).runnableInformer(0);
        tiers = client.resources(TrainingTier.class).runnableInformer(0);
    }

    /** Starts the watch, and returns before the first objects have arrived. */
    public static ClusterConfiguration watch(KubernetesClient client) {
        var configuration = new ClusterConfiguration(client);
        configuration.pools.addEventHandler(new Changes<>(configuration::refresh));
        configuration.tiers.addEventHandler(new Changes<>(configuration::refresh));
        // An informer that cannot list yet (no definition, no permission, no API server) keeps trying, because the
        // cause may be fixed later.
        configuration.pools.exceptionHandler((started, problem) -> retry("TrainingPools", problem));
        configuration.tiers.exceptionHandler((started, problem) -> retry("TrainingTiers", problem));
        configuration.settings = ClusterSettings.watch(client, configuration::refresh);
        configuration.pools.start().whenComplete((done, problem) -> configuration.refresh());
        configuration.tiers.start().whenComplete((done, problem) -> configuration.refresh());
        return configuration;
    }

    @Override
    public Catalogue current() {
        return current;
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        pools.stop();
        tiers.stop();
        if (settings != null) {
            settings.close();
        }
    }

    private static boolean retry(String what, Throwable problem) {
        log.warn("watching {} failed, trying again: {}", what, String.valueOf(problem.getMessage()));
        return true;
    }

    private synchronized void refresh() {
        var ofCluster = settings;
        if (!pools.hasSynced() || !tiers.hasSynced() || ofCluster == null || !ofCluster.isKnown()) {
            return;
        }
        var before = current;
        var now = Catalogues.of(pools.getStore().list(), tiers.getStore().list(), ofCluster.all());
        boolean first = !complete;
        current = now;
        complete = true;
        if (first || !now.equals(before)) {
            ConfigurationLog.changed(before, now);
            listeners.forEach(Runnable::run);
        }
    }
}
