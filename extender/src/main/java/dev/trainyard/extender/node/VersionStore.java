package dev.trainyard.extender.node;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The store of an informer that keeps the name and the resource version of each object. The library's own reduced store converts the whole
 * object to a map for each event, which takes as long as reading the object. Thread-safe.
 */
final class VersionStore<T extends HasMetadata> implements ItemStore<T> {

    private final Map<String, String> versions = new ConcurrentHashMap<>();
    private final Supplier<T> blank;

    /** @param blank creates an object without any data */
    VersionStore(Supplier<T> blank) {
        this.blank = blank;
    }

    @Override
    public String getKey(T object) {
        return Cache.metaNamespaceKeyFunc(object);
    }

    @Override
    public @Nullable T put(String key, T object) {
        var version = object.getMetadata().getResourceVersion();
        return restored(key, versions.put(key, version == null ? "" : version));
    }

    @Override
    public @Nullable T remove(String key) {
        return restored(key, versions.remove(key));
    }

    @Override
    public Stream<String> keySet() {
        return versions.keySet().stream();
    }

    @Override
    public Stream<T> values() {
        return versions.entrySet().stream().map(entry -> object(entry.getKey(), entry.getValue()));
    }

    @Override
    public @Nullable T get(String key) {
        return restored(key, versions.get(key));
    }

    @Override
    public int size() {
        return versions.size();
    }

    @Override
    public boolean isFullState() {
        return false;
    }

    private @Nullable T restored(String key, @Nullable String version) {
        return version == null ? null : object(key, version);
    }

    /** Returns an object with the namespace and name of {@code key}, as {@link Cache#metaNamespaceKeyFunc} joins them. */
    private T object(String key, String version) {
        int slash = key.indexOf('/');
        var object = blank.get();
        object.setMetadata(new ObjectMetaBuilder()
                .withNamespace(slash < 0 ? null : key.substring(0, slash))
                .withName(key.substring(slash + 1))
                .withResourceVersion(version)
                .build());
        return object;
    }
}
