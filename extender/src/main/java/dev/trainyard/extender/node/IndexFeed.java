package dev.trainyard.extender.node;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.ClusterConfiguration;
import dev.trainyard.runtime.configuration.ConfigurationLog;
import dev.trainyard.runtime.configuration.ConfigurationSource;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A source of nodes, pods and pools for a {@link NodeIndex}: a cluster, which is watched, or files, which are read once. */
public final class IndexFeed implements AutoCloseable {

    /** The time without a watch after which {@link #problem} reports the interruption. A watch is usually reopened sooner. */
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final NodeIndex index;
    private final ConfigurationSource configuration;
    private final CompletableFuture<Void> listed;
    private final Supplier<Duration> age;
    private final CompletableFuture<Void> configured = new CompletableFuture<>();
    private final List<Runnable> closing;

    private IndexFeed(
            NodeIndex index,
            ConfigurationSource configuration,
            CompletableFuture<Void> listed,
            Supplier<Duration> age,
            List<Runnable> closing) {
        this.age = age;
        this.index = index;
        this.configuration = configuration;
        this.listed = listed;
        this.closing = closing;
        configuration.onChange(this::configure);
        configure(); // the configuration may already have been complete
    }

    /** Starts to watch a cluster, and returns before the first objects arrive. The caller closes the client. */
    public static IndexFeed fromCluster(KubernetesClient client, NodeIndex index, MeterRegistry registry) {
        var configuration = ClusterConfiguration.watch(client);
        var watch = ClusterWatch.start(client, index, registry);
        return new IndexFeed(
                index, configuration, watch.listed(), watch::age, List.of(watch::close, configuration::close));
    }

    /**
     * Fills an index from files.
     *
     * @throws dev.trainyard.runtime.configuration.ResourceFileException if a file cannot be used
     */
    public static IndexFeed fromFiles(Path path, NodeIndex index) {
        var files = ResourceFiles.read(path);
        var configuration = FileConfiguration.of(files);
        ConfigurationLog.changed(Catalogue.EMPTY, configuration.current());
        files.ofKind(Node.class).forEach(index::put);
        files.ofKind(Pod.class).forEach(index::put);
        return new IndexFeed(
                index,
                configuration,
                CompletableFuture.completedFuture(null),
                () -> Duration.ZERO,
                List.of(configuration::close));
    }

    /** Returns a feed for an index that the caller keeps up to date, with fixed pools and tiers. */
    public static IndexFeed driven(NodeIndex index, Catalogue catalogue) {
        return new IndexFeed(
                index,
                FileConfiguration.of(catalogue),
                CompletableFuture.completedFuture(null),
                () -> Duration.ZERO,
                List.of());
    }

    /** Returns the index that this object feeds. */
    public NodeIndex index() {
        return index;
    }

    /** Returns the pools and tiers as last seen. */
    public Catalogue catalogue() {
        return configuration.current();
    }

    /** Returns a future that completes when all objects that existed at the start are in the index. */
    public CompletableFuture<Void> complete() {
        return CompletableFuture.allOf(listed, configured);
    }

    /** Returns the time for which changes of the cluster may have been missed; zero while the cluster is watched. */
    public Duration age() {
        return age.get();
    }

    /** Returns a message for an operator about missing or stale data; empty if there is no problem. */
    public Optional<String> problem() {
        if (!configured.isDone()) {
            return Optional.of("TrainingPools and TrainingTiers have not been listed yet; see the log for the reason");
        }
        if (!listed.isDone()) {
            return Optional.of("nodes and pods have not been listed yet; see the log for the reason");
        }
        var unheard = age.get();
        return unheard.compareTo(TIMEOUT) > 0
                ? Optional.of("the watch of nodes or pods has been interrupted for %d s; see the log for the reason"
                        .formatted(unheard.toSeconds()))
                : Optional.empty();
    }

    @Override
    public void close() {
        closing.forEach(Runnable::run);
    }

    /** Applies the newest configuration. The lock keeps an older configuration from overwriting a newer one. */
    private synchronized void configure() {
        index.configure(configuration.current());
        if (configuration.isComplete()) {
            configured.complete(null);
        }
    }
}
