package dev.trainyard.cli.check;

import dev.trainyard.core.api.TrainingClusterSpec.NoticeQueueSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingCluster;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A reader of the pools' clouds and of the queues of notices, with the credentials of the environment. Changes nothing. */
public final class CloudReader {

    /** The providers by the field of {@code spec.provider} that selects them, such as {@code awsAutoScalingGroup}. */
    private final Map<String, CloudProvider> providers;

    private final List<CloudModule> modules;

    private CloudReader(Map<String, CloudProvider> providers, List<CloudModule> modules) {
        this.providers = Map.copyOf(providers);
        this.modules = List.copyOf(modules);
    }

    /**
     * Returns a reader of the clouds of {@code providers}.
     *
     * @param providers the providers by the field of {@code spec.provider} that selects them, such as {@code awsAutoScalingGroup}; pools of
     *     other providers are skipped
     * @param modules the clouds that open queues of notices; queues of other clouds are skipped
     */
    public static CloudReader of(Map<String, CloudProvider> providers, List<CloudModule> modules) {
        return new CloudReader(providers, modules);
    }

    CompletableFuture<List<CloudAnswer>> start(
            Probes probes,
            CompletableFuture<ReadResult<List<TrainingPool>>> pools,
            CompletableFuture<ReadResult<List<TrainingTier>>> tiers) {
        return pools.thenCombine(tiers, this::known)
                .thenCompose(known -> {
                    var begun = new ArrayList<CompletableFuture<CloudAnswer>>();
                    known.forEach(pool -> begun.add(begin(probes, pool)));
                    return CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
                            .thenApply(done ->
                                    begun.stream().map(CompletableFuture::join).toList());
                })
                .exceptionally(e -> List.of()); // invalid pools, which PoolsAndTiersCheck reports
    }

    /**
     * Starts the checks of the queues that the settings name.
     *
     * @param settings reads the objects that name the queues; not called if no cloud is checked
     */
    CompletableFuture<ReadResult<List<QueueAnswer>>> startQueues(
            Probes probes, Supplier<List<TrainingCluster>> settings) {
        if (modules.isEmpty()) {
            return CompletableFuture.completedFuture(ReadResult.of(List.of()));
        }
        return probes.start(() ->
                        Catalogues.of(List.of(), List.of(), settings.get()).noticeQueues())
                .thenCompose(queues -> {
                    var begun = queues.value().orElse(List.of()).stream()
                            .map(queue -> probes.start(() -> told(() -> rights(queue)))
                                    .thenApply(rights -> new QueueAnswer(String.valueOf(queue.sqs()), rights)))
                            .toList();
                    return CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new))
                            .thenApply(done -> queues.value().isEmpty()
                                    ? ReadResult.unread(queues.problem())
                                    : ReadResult.of(begun.stream()
                                            .map(CompletableFuture::join)
                                            .toList()));
                });
    }

    private List<CloudRight> rights(NoticeQueueSpec spec) throws ProviderException {
        for (var module : modules) {
            var queue = module.noticeQueue(spec);
            if (queue.isPresent()) {
                try (var opened = queue.get()) {
                    return opened.rights();
                }
            }
        }
        return List.of();
    }

    private List<Pool> known(ReadResult<List<TrainingPool>> pools, ReadResult<List<TrainingTier>> tiers) {
        return Catalogues.of(pools.value().orElse(List.of()), tiers.value().orElse(List.of())).pools().values().stream()
                .filter(pool -> providers.containsKey(pool.provider().named().get(0)))
                .toList();
    }

    private CompletableFuture<CloudAnswer> begin(Probes probes, Pool pool) {
        var provider = providers.get(pool.provider().named().get(0));
        if (provider == null) {
            throw new IllegalArgumentException("there is no cloud provider for pool " + pool.name());
        }
        CompletableFuture<ReadResult<PoolState>> state = probes.start(() -> told(() -> provider.read(pool)));
        CompletableFuture<ReadResult<List<CloudRight>>> rights = probes.start(() -> told(() -> provider.rights(pool)));
        return state.thenCombine(rights, (read, held) -> new CloudAnswer(pool.name(), pool.provider(), read, held));
    }

    private interface Question<T> {
        T ask() throws ProviderException;
    }

    private static <T> T told(Question<T> question) {
        try {
            return question.ask();
        } catch (ProviderException e) {
            throw new IllegalStateException(e.words(), e);
        }
    }
}
