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
 * The objects of one kind in the API server. The objects are sorted by name, so that a run can be repeated. A change replaces the object in
 * the store, so a reference to the old object keeps the old state.
 *
 * @param <T> the kind
 */
public final class ObjectStore<T extends HasMetadata> {

    private final ApiServer server;
    private final TreeMap<String, T> objects = new TreeMap<>();
    private final List<Informer<T>> informers = new ArrayList<>();

    ObjectStore(ApiServer server) {
        this.server = server;
    }

    /** Returns {@code namespace/name}, or only the name of an object without a namespace. */
    public static String key(HasMetadata object) {
        var metadata = object.getMetadata();
        return metadata.getNamespace() == null
                ? metadata.getName()
                : metadata.getNamespace() + "/" + metadata.getName();
    }

    /** Returns a live view of all objects, by name. */
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
     * Adds an object and sets its UID, its version, its generation and, if missing, its creation time.
     *
     * @param object the new object; the store sets the fields in this object and keeps it
     * @return the same object
     * @throws ApiException if an object with this name exists
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
     * @param version the version that the object must have; null for any
     * @param change returns a new object
     * @return the object after the change
     * @throws ApiException if the object does not exist, or has another version
     */
    public T change(String key, @Nullable String version, UnaryOperator<T> change) {
        var before = objects.get(key);
        if (before == null) {
            throw new ApiException(ApiException.NOT_FOUND, key + " not found");
        }
        if (version != null && !version.equals(before.getMetadata().getResourceVersion())) {
            throw new ApiException(
                    ApiException.CONFLICT,
                    "%s %s has been modified; the version is %s, but the request expects %s"
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

    /** Changes an object if it exists. */
    public void changeIfThere(String key, UnaryOperator<T> change) {
        if (objects.containsKey(key)) {
            change(key, null, change);
        }
    }

    /** Removes an object and returns it; empty if it did not exist. */
    public Optional<T> remove(String key) {
        var last = objects.remove(key);
        if (last != null) {
            server.nextVersion();
            informers.forEach(informer -> informer.hear(last, null));
        }
        return Optional.ofNullable(last);
    }

    /** Returns a new watch of these objects. */
    public Informer<T> inform(Lag lag) {
        var informer = new Informer<>(this, server.time(), lag);
        informers.add(informer);
        return informer;
    }

    /** Closes a watch. Changes that are under way to the watch never arrive. */
    public void forget(Informer<T> informer) {
        informers.remove(informer);
        informer.close();
    }
}
