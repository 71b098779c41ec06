package dev.trainyard.scaler.observe;

import java.util.Optional;
import java.util.function.Supplier;

/** How long the reading of pods may take. Not thread-safe. */
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
     * @param key the same for the same state of an object in every round
     * @return empty if it was not read within the limit; a later round may get it
     * @throws RuntimeException what {@code reading} throws
     */
    <R> Optional<R> read(String key, Supplier<R> reading);
}
