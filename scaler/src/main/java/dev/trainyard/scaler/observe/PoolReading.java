package dev.trainyard.scaler.observe;

import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.Optional;

/** What came of asking a pool's cloud: its state, or why there is none. */
public record PoolReading(Optional<PoolState> state, Optional<String> problem) {

    /** Of a pool that was not asked. */
    public static final PoolReading UNREAD = new PoolReading(Optional.empty(), Optional.of("it has not been read yet"));

    public static PoolReading of(PoolState state) {
        return new PoolReading(Optional.of(state), Optional.empty());
    }

    public static PoolReading failed(ProviderException problem) {
        return new PoolReading(Optional.empty(), Optional.of(problem.kind() + ": " + problem.words()));
    }
}
