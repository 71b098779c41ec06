package dev.trainyard.scaler.kwok;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The behaviour of a pool's simulated cloud.
 *
 * @param capacity the number of machines that the cloud has in total
 * @param bootDelay the time from the request until the node joins
 * @param driverDelay the time from when the node joins until it reports its GPUs
 * @param failureDelay the time from the request until the report of a stock-out
 */
record KwokSettings(int capacity, Duration bootDelay, Duration driverDelay, Duration failureDelay) {

    static KwokSettings of(Pool pool) throws ProviderException {
        var spec = pool.provider().kwok();
        if (spec == null) {
            throw new IllegalArgumentException("pool " + pool.name() + " does not use spec.provider.kwok");
        }
        return new KwokSettings(
                spec.capacity() == null ? Integer.MAX_VALUE : spec.capacity(),
                duration("bootDelay", spec.bootDelay(), "5s"),
                duration("driverDelay", spec.driverDelay(), "0s"),
                duration("failureDelay", spec.failureDelay(), "1s"));
    }

    private static Duration duration(String field, @Nullable String text, String otherwise) throws ProviderException {
        try {
            return Durations.parse(text == null ? otherwise : text);
        } catch (IllegalArgumentException e) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION, "spec.provider.kwok.%s: %s".formatted(field, e.getMessage()));
        }
    }
}
