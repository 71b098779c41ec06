package dev.trainyard.scaler.observe;

import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.Optional;

/** The result of reading a pool from its cloud: the pool's state, or the error. */
public record PoolReading(Optional<PoolState> state, Optional<String> problem) {

    /** The result for a pool that has not been read yet. */
    public static final PoolReading UNREAD =
            new PoolReading(Optional.empty(), Optional.of("the pool has not been read yet"));

    public static PoolReading of(PoolState state) {
        return new PoolReading(Optional.of(state), Optional.empty());
    }

    public static PoolReading failed(ProviderException problem) {
        return new PoolReading(Optional.empty(), Optional.of(problem.kind() + ": " + problem.words()));
    }
}
