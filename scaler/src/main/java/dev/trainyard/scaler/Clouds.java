package dev.trainyard.scaler;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All providers as one: finds a pool's own, counts and logs the calls, and lets no unexpected exception out. */
final class Clouds {

    private static final Logger log = LoggerFactory.getLogger(Clouds.class);

    private final Map<String, CloudProvider> providers;
    private final ScalerMetrics metrics;

    /** @param providers by the member of {@code spec.provider} that they are for */
    Clouds(Map<String, CloudProvider> providers, ScalerMetrics metrics) {
        this.providers = Map.copyOf(providers);
        this.metrics = metrics;
    }

    /** A call to a provider. */
    @FunctionalInterface
    private interface Call<T> {
        T on(CloudProvider provider) throws ProviderException;
    }

    PoolReading read(Pool pool) {
        try {
            return PoolReading.of(call("read", pool, provider -> provider.read(pool)));
        } catch (ProviderException e) {
            log.warn("pool {} cannot be read; nothing changes for it: {}: {}", pool.name(), e.kind(), e.words());
            return PoolReading.failed(e);
        }
    }

    void grow(Pool pool, int from, int to) throws ProviderException {
        call("grow", pool, provider -> {
            provider.grow(pool, from, to);
            return true;
        });
    }

    void withdraw(Pool pool, int from, int to) throws ProviderException {
        call("withdraw", pool, provider -> {
            provider.withdraw(pool, from, to);
            return true;
        });
    }

    void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        call("terminate", pool, provider -> {
            provider.terminate(pool, machines);
            return true;
        });
    }

    /** How often to look at a pool in which something is under way. */
    Duration attention(Pool pool) {
        var provider = providers.get(kind(pool));
        return provider == null ? Duration.ofMinutes(1) : provider.attention();
    }

    private <T> T call(String operation, Pool pool, Call<T> call) throws ProviderException {
        var kind = kind(pool);
        var provider = providers.get(kind);
        if (provider == null) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "spec.provider.%s is not supported by this version; there are: %s"
                            .formatted(kind, String.join(", ", providers.keySet())));
        }
        try {
            var answer = call.on(provider);
            metrics.providerCall(kind, operation, "ok");
            return answer;
        } catch (ProviderException e) {
            metrics.providerCall(kind, operation, e.kind().toString());
            throw e;
        } catch (RuntimeException e) {
            metrics.providerCall(kind, operation, "unexpected");
            log.error("{} of pool {} failed unexpectedly", operation, pool.name(), e);
            throw new ProviderException(FailureKind.TRANSIENT, "unexpected: " + e);
        }
    }

    private static String kind(Pool pool) {
        return pool.provider().named().get(0);
    }
}
