package dev.trainyard.simulation.api;

import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one kind as seen by a process that lists once and then watches. Changes arrive in order, but late. A lost watch reports
 * nothing until the process lists again. The new list shows the latest states, without the states in between.
 *
 * @param <T> the kind
 */
public final class Informer<T extends HasMetadata> {

    private final ObjectStore<T> shelf;
    private final VirtualTime time;
    private final Lag lag;
    private final TreeMap<String, T> seen = new TreeMap<>();
    private final List<Watch<T>> watches = new ArrayList<>();
    private long lastDelivery;
    /** The number of times the watch was lost or closed. Changes that were under way at such a time never arrive. */
    private int session;

    private boolean lost;

    Informer(ObjectStore<T> shelf, VirtualTime time, Lag lag) {
        this.shelf = shelf;
        this.time = time;
        this.lag = lag;
        shelf.all().forEach(object -> seen.put(ObjectStore.key(object), object));
    }

    /** Reports all existing objects to {@code watch}, and all later changes. */
    public Informer<T> tell(Watch<T> watch) {
        watches.add(watch);
        seen.values().forEach(watch::added);
        return this;
    }

    /** Returns the objects that exist as far as the process has seen, in the order of their names. */
    public Collection<T> all() {
        return Collections.unmodifiableCollection(seen.values());
    }

    public Optional<T> get(String key) {
        return Optional.ofNullable(seen.get(key));
    }

    /** Breaks off the watch. The process lists again after the given time. */
    public void lose(Duration until) {
        if (!lost) {
            lost = true;
            int of = ++session;
            time.after(until, () -> {
                if (of == session) {
                    relist();
                }
            });
        }
    }

    void close() {
        session++;
        lost = true;
    }

    void hear(@Nullable T before, @Nullable T after) {
        if (lost) {
            return;
        }
        int of = session;
        // Changes arrive in the order in which they were made, as on one connection.
        lastDelivery = Math.max(lastDelivery, time.nanos() + lag.next().toNanos());
        for (int times = lag.repeats() ? 2 : 1; times > 0; times--) {
            time.at(lastDelivery, () -> {
                if (of == session) {
                    take(before, after);
                }
            });
        }
    }

    private void take(@Nullable T before, @Nullable T after) {
        if (after == null) {
            if (before != null) {
                gone(ObjectStore.key(before), before);
            }
            return;
        }
        put(after);
    }

    private void put(T object) {
        var known = seen.put(ObjectStore.key(object), object);
        if (known == null) {
            watches.forEach(watch -> watch.added(object));
        } else if (known.getMetadata().getUid().equals(object.getMetadata().getUid())) {
            watches.forEach(watch -> watch.changed(known, object));
        } else {
            watches.forEach(watch -> watch.removed(known));
            watches.forEach(watch -> watch.added(object));
        }
    }

    private void gone(String key, T last) {
        if (seen.remove(key) != null) {
            watches.forEach(watch -> watch.removed(last));
        }
    }

    private void relist() {
        lost = false;
        lastDelivery = time.nanos();
        for (var known : List.copyOf(seen.entrySet())) {
            if (shelf.get(known.getKey()).isEmpty()) {
                gone(known.getKey(), known.getValue());
            }
        }
        for (var object : List.copyOf(shelf.all())) {
            if (!object.equals(seen.get(ObjectStore.key(object)))) {
                put(object);
            }
        }
    }
}
