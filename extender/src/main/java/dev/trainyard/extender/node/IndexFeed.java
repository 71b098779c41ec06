package dev.trainyard.extender.node;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.ClusterConfiguration;
import dev.trainyard.runtime.configuration.ConfigurationLog;
import dev.trainyard.runtime.configuration.ConfigurationSource;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Brings nodes, pods and pools into a {@link NodeIndex}: from a cluster, kept up to date, or from files, once. */
public final class IndexFeed implements AutoCloseable {

    private final NodeIndex index;
    private final ConfigurationSource configuration;
    private final CompletableFuture<Void> listed;
    private final CompletableFuture<Void> configured = new CompletableFuture<>();
    private final List<Runnable> closing;

    private IndexFeed(
            NodeIndex index,
            ConfigurationSource configuration,
            CompletableFuture<Void> listed,
            List<Runnable> closing) {
        this.index = index;
        this.configuration = configuration;
        this.listed = listed;
        this.closing = closing;
        configuration.onChange(this::configure);
        configure(); // it may have been complete before we listened
    }

    /** Starts to watch; returns before the first objects are here. */
    public static IndexFeed fromCluster(@Nullable Path kubeconfig, NodeIndex index) {
        var client = KubernetesClients.open(kubeconfig);
        var configuration = ClusterConfiguration.watch(client);
        var watch = ClusterWatch.start(client, index);
        return new IndexFeed(
                index, configuration, watch.listed(), List.of(watch::close, configuration::close, client::close));
    }

    /** @throws dev.trainyard.runtime.configuration.ResourceFileException for files that cannot be used */
    public static IndexFeed fromFiles(Path path, NodeIndex index) {
        var files = ResourceFiles.read(path);
        var configuration = FileConfiguration.of(files);
        ConfigurationLog.changed(Catalogue.EMPTY, configuration.current());
        files.ofKind(Node.class).forEach(index::put);
        files.ofKind(Pod.class).forEach(index::put);
        return new IndexFeed(
                index, configuration, CompletableFuture.completedFuture(null), List.of(configuration::close));
    }

    /** The pools and tiers as last seen. */
    public Catalogue catalogue() {
        return configuration.current();
    }

    /** Completed when everything that was there at the start is in the index. */
    public CompletableFuture<Void> complete() {
        return CompletableFuture.allOf(listed, configured);
    }

    /** What is still missing, for an operator. */
    public Optional<String> problem() {
        if (!configured.isDone()) {
            return Optional.of("TrainingPools and TrainingTiers have not been listed yet; see the log for why");
        }
        return listed.isDone()
                ? Optional.empty()
                : Optional.of("nodes and pods have not been listed yet; see the log for why");
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }

    /** One at a time, each with the newest configuration, so that none overwrites a newer one. */
    private synchronized void configure() {
        index.configure(configuration.current());
        if (configuration.isComplete()) {
            configured.complete(null);
        }
    }
}
