package dev.trainyard.simulation.api;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one kind, as the API server has them. Objects are never changed in place: whoever holds one holds what it was. In the order
 * of their names, so that a run can be repeated.
 *
 * @param <T> the kind
 */
public final class Shelf<T extends HasMetadata> {

    private final ApiServer server;
    private final TreeMap<String, T> objects = new TreeMap<>();
    private final List<Informer<T>> informers = new ArrayList<>();

    Shelf(ApiServer server) {
        this.server = server;
    }

    /** {@code namespace/name}, or the name alone. */
    public static String key(HasMetadata object) {
        var metadata = object.getMetadata();
        return metadata.getNamespace() == null
                ? metadata.getName()
                : metadata.getNamespace() + "/" + metadata.getName();
    }

    /** Those that there are, by name; what changes later shows in it. */
    public Collection<T> all() {
        return Collections.unmodifiableCollection(objects.values());
    }

    public int size() {
        return objects.size();
    }

    public Optional<T> get(String key) {
        return Optional.ofNullable(objects.get(key));
    }

    /**
     * Adds an object, with what an API server gives it: an identity, a version, and a time unless it has one.
     *
     * @param object becomes the server's
     * @return the same
     * @throws ApiException when there is one of that name
     */
    public T create(T object) {
        var key = key(object);
        if (objects.containsKey(key)) {
            throw new ApiException(ApiException.CONFLICT, "%s %s already exists".formatted(object.getKind(), key));
        }
        var metadata = object.getMetadata();
        metadata.setUid(server.nextUid());
        metadata.setResourceVersion(server.nextVersion());
        metadata.setGeneration(1L);
        if (metadata.getCreationTimestamp() == null) {
            metadata.setCreationTimestamp(server.now());
        }
        objects.put(key, object);
        informers.forEach(informer -> informer.hear(null, object));
        return object;
    }

    /**
     * Changes an object.
     *
     * @param version that it must have, or else it has changed since; null: whatever it is by now
     * @param change gives a new object
     * @return as it is now
     * @throws ApiException when it is not there, or not of that version
     */
    public T change(String key, @Nullable String version, UnaryOperator<T> change) {
        var before = objects.get(key);
        if (before == null) {
            throw new ApiException(ApiException.NOT_FOUND, key + " not found");
        }
        if (version != null && !version.equals(before.getMetadata().getResourceVersion())) {
            throw new ApiException(
                    ApiException.CONFLICT,
                    "%s %s has been modified; the version is %s, not %s"
                            .formatted(
                                    before.getKind(), key, before.getMetadata().getResourceVersion(), version));
        }
        var after = change.apply(before);
        if (after.equals(before)) {
            return before;
        }
        after.getMetadata().setResourceVersion(server.nextVersion());
        objects.put(key, after);
        informers.forEach(informer -> informer.hear(before, after));
        return after;
    }

    /** Changes an object if it is there. */
    public void changeIfThere(String key, UnaryOperator<T> change) {
        if (objects.containsKey(key)) {
            change(key, null, change);
        }
    }

    /** Removes an object and returns it; empty when it was not there. */
    public Optional<T> remove(String key) {
        var last = objects.remove(key);
        if (last != null) {
            server.nextVersion();
            informers.forEach(informer -> informer.hear(last, null));
        }
        return Optional.ofNullable(last);
    }

    /** What somebody sees of these objects, who learns of changes by a watch. */
    public Informer<T> inform(Lag lag) {
        var informer = new Informer<>(this, server.time(), lag);
        informers.add(informer);
        return informer;
    }

    /** Nobody looks through it any more: what is under way to it never comes. */
    public void forget(Informer<T> informer) {
        informers.remove(informer);
        informer.close();
    }
}
