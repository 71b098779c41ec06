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
     * @param key identifies the object and its state; an unchanged object has the same key in every round
     * @return the reading; empty if the object was not read within the limit. A later round tries again
     * @throws RuntimeException any exception of {@code reading}
     */
    <R> Optional<R> read(String key, Supplier<R> reading);
}
