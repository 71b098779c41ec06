package dev.trainyard.scaler.kwok;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What {@code spec.provider.kwok} says, with its defaults.
 *
 * @param capacity machines that there are; null: no limit
 * @param shortage what a stock-out is called
 */
record KwokTerms(
        @Nullable Integer capacity,
        Duration bootDelay,
        Duration driverDelay,
        Duration failureDelay,
        FailureKind shortage) {

    /** @throws ProviderException of kind invalid-configuration; the message names the field */
    static KwokTerms of(Pool pool) throws ProviderException {
        var spec = pool.provider().kwok();
        if (spec == null) {
            throw new ProviderException(FailureKind.INVALID_CONFIGURATION, "spec.provider.kwok is missing");
        }
        return new KwokTerms(
                spec.capacity(),
                duration("bootDelay", spec.bootDelay(), "5s"),
                duration("driverDelay", spec.driverDelay(), "0s"),
                duration("failureDelay", spec.failureDelay(), "1s"),
                pool.isSpot() ? FailureKind.SPOT_CAPACITY : FailureKind.CAPACITY);
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
