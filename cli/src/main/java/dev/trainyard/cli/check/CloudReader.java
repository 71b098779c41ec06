package dev.trainyard.cli.check;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A reader of the pools' clouds, with the credentials of the environment. Changes nothing. */
public final class CloudReader {

    /** The providers by the field of {@code spec.provider} that selects them, such as {@code awsAutoScalingGroup}. */
    private final Map<String, CloudProvider> providers;

    private CloudReader(Map<String, CloudProvider> providers) {
        this.providers = Map.copyOf(providers);
    }

    /**
     * Returns a reader of the clouds of {@code providers}.
     *
     * @param providers the providers by the field of {@code spec.provider} that selects them, such as {@code awsAutoScalingGroup}; pools of
     *     other providers are skipped
     */
    public static CloudReader of(Map<String, CloudProvider> providers) {
        return new CloudReader(providers);
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
