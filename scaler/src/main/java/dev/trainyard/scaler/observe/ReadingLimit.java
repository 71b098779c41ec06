package dev.trainyard.scaler.observe;

import java.util.Optional;
import java.util.function.Supplier;

/** A limit for the time to read pods. Not thread-safe. */
public interface ReadingLimit {

    /** No limit: everything is read at once, on the caller's thread. */
    ReadingLimit NONE = new ReadingLimit() {
        @Override
        public void begin() {}

        @Override
        public <R> Optional<R> read(String key, Supplier<R> reading) {
            return Optional.of(reading.get());
        }
    };

    /** Begins a round. */
    void begin();

    /**
     * Reads an object.
     *
     * @param key identifies the state of an object, in every round
     * @return empty if it was not read within the limit; a later round may read it
     * @throws RuntimeException any exception of {@code reading}
     */
    <R> Optional<R> read(String key, Supplier<R> reading);
}
