package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What was read of objects, so that rounds read only those that have changed: an API server gives each state of an object a version of its
 * own. Objects without one, which no API server has seen, are read every time. Not thread-safe.
 *
 * @param <R> what is read of one object
 */
final class Remembered<R> {

    private record Entry<R>(String version, Object surroundings, R reading) {}

    private Map<String, Entry<R>> known = new HashMap<>();
    private Map<String, Entry<R>> seen = new HashMap<>();

    /** @param surroundings all else that the reading depends on */
    R read(HasMetadata object, Object surroundings, Supplier<R> reading) {
        return tryRead(object, surroundings, () -> Optional.of(reading.get())).orElseThrow();
    }

    /** As {@link #read}, of a reading that may fail: it is tried again the next time. */
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

    /** All objects that there are have been read: the others are forgotten. */
    void forgetOthers() {
        known = seen;
        seen = new HashMap<>();
    }

    /** Of how many objects something is remembered. */
    int size() {
        return known.size();
    }
}
