package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A cache of readings, so that each round (one pass of the scaler's loop) reads only objects that have changed. An API server gives each
 * state of an object its own version. An object without a version was not stored by an API server, and is read every time. Not thread-safe.
 *
 * @param <R> the type of a reading
 */
final class ReadingCache<R> {

    private record Entry<R>(String version, Object surroundings, R reading) {}

    private Map<String, Entry<R>> known = new HashMap<>();
    private Map<String, Entry<R>> seen = new HashMap<>();

    /** @param surroundings all other inputs of the reading */
    R read(HasMetadata object, Object surroundings, Supplier<R> reading) {
        return tryRead(object, surroundings, () -> Optional.of(reading.get())).orElseThrow();
    }

    /** Works like {@link #read} for a reading that may fail. A failed reading is not cached, so the next call tries again. */
    Optional<R> tryRead(HasMetadata object, Object surroundings, Supplier<Optional<R>> reading) {
        var uid = object.getMetadata().getUid();
        var version = object.getMetadata().getResourceVersion();
        if (uid == null || version == null) {
            return reading.get();
        }
        var entry = known.get(uid);
        if (entry == null
                || !entry.version().equals(version)
                || !entry.surroundings().equals(surroundings)) {
            var read = reading.get();
            if (read.isEmpty()) {
                return read;
            }
            entry = new Entry<>(version, surroundings, read.get());
        }
        seen.put(uid, entry);
        return Optional.of(entry.reading());
    }

    /** Ends a round. Drops all readings that the round did not use, since the round has read all existing objects. */
    void forgetOthers() {
        known = seen;
        seen = new HashMap<>();
    }

    /** Returns how many readings are cached. */
    int size() {
        return known.size();
    }
}
