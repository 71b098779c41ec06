package dev.trainyard.scaler.cluster;

import dev.trainyard.core.Durations;
import dev.trainyard.core.gang.GangObject;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Failed;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Failure;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Read;
import dev.trainyard.scaler.cluster.GangObjectAnswer.Unusable;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects that describe gangs, read from the API server in the background. Only objects that rounds ask for are read, one request for
 * each. A watch would need the right to list all objects of a kind, and would hold all of them in memory.
 *
 * <p>If a kind cannot be read in a namespace, one object of them is tried again after a pause; the others wait for its success. What was
 * read before stays valid until then. Thread-safe.
 */
public final class KubernetesGangObjects implements GangObjects, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(KubernetesGangObjects.class);

    /** The least time between two successful reads of an object. */
    static final Duration REFRESH = Duration.ofSeconds(30);

    /** The pause after the first failure; doubled for each further failure in a row. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** The longest pause after any number of failures. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** The time after which an object that no round asks for is dropped. */
    static final Duration FORGOTTEN = Duration.ofMinutes(5);

    /** How long an object that was never read stays {@link NotYet} while the API server fails. */
    static final Duration PATIENCE = Duration.ofMinutes(1);

    /** The greatest number of objects. */
    static final int MOST = 5_000;

    /** The greatest number of objects of one namespace, so that its users leave room for others. */
    static final int MOST_OF_NAMESPACE = MOST / 5;

    /** The greatest length of all kept objects together, as JSON text. In memory they need about ten times as many bytes. */
    static final int LARGEST_TOTAL = 16 * 1024 * 1024;

    /** The greatest length of all kept objects of one namespace. */
    static final int LARGEST_OF_NAMESPACE = LARGEST_TOTAL / 4;

    private static final Duration SWEEP = Duration.ofMinutes(1);
    private static final NotYet NOT_YET = new NotYet();

    private final GangObjectReader reader;
    private final ExecutorService thread;
    private final Runnable changed;
    private final LongSupplier nanoTime;
    private final Map<GangObject, Entry> entries = new HashMap<>();
    private final Map<Origin, Outage> outages = new HashMap<>();
    /** Objects that were never read. They come before all others, since gangs wait for them. */
    private final FairQueue unread = new FairQueue();

    private final FairQueue stale = new FairQueue();
    private boolean busy;
    private boolean full;
    private int total;
    private long sweptAt;

    /** The state of one object. Guarded by the lock of the outer object. */
    private static final class Entry {
        private final GangObject object;
        private Reading reading = NOT_YET;
        private int size;
        private boolean waits;
        private int failures;
        private @Nullable Long nextReadAt;
        private @Nullable Long failingSince;
        private long wantedAt;

        Entry(GangObject object) {
            this.object = object;
        }

        /** Records a failure. An object that was read before stays valid. */
        void failed(Failed failed, long now) {
            failingSince = failingSince == null ? now : failingSince;
            boolean lasts = failed.failure() == Failure.FORBIDDEN || failed.failure() == Failure.NOT_SERVED;
            if ((lasts || now - failingSince >= PATIENCE.toNanos()) && !(reading instanceof Found)) {
                reading = new Unreadable(failed.reason(object), !lasts);
            }
        }

        Origin origin() {
            return new Origin(object.group(), object.kind(), object.namespace());
        }
    }

    /** Entries in the order of their arrival, one of each namespace in turn. */
    private static final class FairQueue {
        private final Map<String, Deque<Entry>> namespaces = new LinkedHashMap<>();

        void add(Entry entry) {
            namespaces
                    .computeIfAbsent(entry.object.namespace(), namespace -> new ArrayDeque<>())
                    .add(entry);
        }

        @Nullable
        Entry poll() {
            var first = namespaces.keySet().stream().findFirst();
            if (first.isEmpty()) {
                return null;
            }
            var entries = namespaces.remove(first.get());
            var entry = entries == null ? null : entries.poll();
            if (entries != null && !entries.isEmpty()) {
                namespaces.put(first.get(), entries);
            }
            return entry;
        }

        boolean isEmpty() {
            return namespaces.isEmpty();
        }
    }

    /** The objects that are readable or not together, since a role allows a resource in a namespace or in all of them. */
    private record Origin(String group, String kind, String namespace) {
        boolean isOfKindOf(Origin other) {
            return group.equals(other.group) && kind.equals(other.kind);
        }
    }

    /** Failures in a row to read objects of one origin. Guarded by the lock of the outer object. */
    private static final class Outage {
        private int failures;
        private long until;
        private Failed last;

        Outage(Failed last) {
            this.last = last;
        }
    }

    /**
     * Creates the objects; nothing is read until a round asks for an object.
     *
     * @param changed runs after the state of an object has changed
     */
    public KubernetesGangObjects(KubernetesClient client, Runnable changed, LongSupplier nanoTime) {
        this(client, changed, nanoTime, newThread());
    }

    KubernetesGangObjects(KubernetesClient client, Runnable changed, LongSupplier nanoTime, ExecutorService thread) {
        this.reader = new GangObjectReader(client, nanoTime);
        this.changed = changed;
        this.nanoTime = nanoTime;
        this.thread = thread;
        this.sweptAt = nanoTime.getAsLong();
    }

    /** Returns a thread that ends when it is idle, and that ignores work after it was closed. */
    private static ExecutorService newThread() {
        var thread = new ThreadPoolExecutor(
                1,
                1,
                30,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> {
                    var worker = new Thread(work, "gang-objects");
                    worker.setDaemon(true);
                    return worker;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        thread.allowCoreThreadTimeOut(true);
        return thread;
    }

    @Override
    public Reading find(GangObject object) {
        var invalid = GangObjectReader.invalid(object);
        if (invalid.isPresent()) {
            return new Unreadable(invalid.get());
        }
        var entry = wanted(object);
        if (entry.isEmpty()) {
            return new Unreadable(
                    "%s is not read: the scaler reads at most %d objects that describe gangs, and at most %d in a namespace"
                            .formatted(object, MOST, MOST_OF_NAMESPACE));
        }
        if (enqueueIfDue(entry.get())) {
            thread.execute(this::readNext);
        }
        return reading(entry.get());
    }

    private synchronized Optional<Entry> wanted(GangObject object) {
        long now = nanoTime.getAsLong();
        if (now - sweptAt >= SWEEP.toNanos()) {
            sweep(now);
        }
        var entry = entries.get(object);
        if (entry == null) {
            if (entries.size() >= MOST || of(object.namespace()).count() >= MOST_OF_NAMESPACE) {
                if (!full) {
                    log.warn(
                            "{} is not read: the limit of {} objects that describe gangs, or of {} in a namespace, is reached",
                            object,
                            MOST,
                            MOST_OF_NAMESPACE);
                }
                full = true;
                return Optional.empty();
            }
            entry = new Entry(object);
            entries.put(object, entry);
        }
        entry.wantedAt = now;
        return Optional.of(entry);
    }

    private Stream<Entry> of(String namespace) {
        return entries.values().stream()
                .filter(entry -> entry.object.namespace().equals(namespace));
    }

    private void sweep(long now) {
        sweptAt = now;
        entries.values().removeIf(entry -> !entry.waits && now - entry.wantedAt > FORGOTTEN.toNanos());
        full = false;
        total = entries.values().stream().mapToInt(entry -> entry.size).sum();
        outages.keySet().retainAll(entries.values().stream().map(Entry::origin).collect(Collectors.toSet()));
    }

    private synchronized Reading reading(Entry entry) {
        return entry.reading;
    }

    /** Returns whether the caller must start the thread. */
    private synchronized boolean enqueueIfDue(Entry entry) {
        long now = nanoTime.getAsLong();
        if (entry.waits || !isPast(entry.nextReadAt, now)) {
            return false;
        }
        var outage = paused(entry, now);
        if (outage.isPresent()) {
            entry.failed(outage.get().last, now);
            return false;
        }
        entry.waits = true;
        (entry.reading == NOT_YET ? unread : stale).add(entry);
        boolean first = !busy;
        busy = true;
        return first;
    }

    private Optional<Outage> paused(Entry entry, long now) {
        return Optional.ofNullable(outages.get(entry.origin())).filter(outage -> !isPast(outage.until, now));
    }

    private void readNext() {
        try {
            polled().ifPresent(this::read);
        } finally {
            if (hasMore()) {
                thread.execute(this::readNext);
            }
        }
    }

    private synchronized Optional<Entry> polled() {
        return Optional.ofNullable(unread.isEmpty() ? stale.poll() : unread.poll());
    }

    private synchronized boolean hasMore() {
        busy = !unread.isEmpty() || !stale.isEmpty();
        return busy;
    }

    private void read(Entry entry) {
        if (knownFailure(entry).map(known -> skipped(entry, known)).orElseGet(() -> request(entry))) {
            changed.run();
        }
    }

    private synchronized Optional<Failed> knownFailure(Entry entry) {
        return paused(entry, nanoTime.getAsLong()).map(outage -> outage.last);
    }

    /** Returns whether the state of the object has changed. */
    private synchronized boolean skipped(Entry entry, Failed known) {
        var before = entry.reading;
        entry.waits = false;
        entry.failed(known, nanoTime.getAsLong());
        return !entry.reading.equals(before);
    }

    /** Returns whether the state of the object has changed. */
    private boolean request(Entry entry) {
        GangObjectAnswer answer = new Failed(Failure.UNAVAILABLE, "the request was cancelled");
        boolean isNew;
        try {
            answer = reader.read(entry.object);
        } finally {
            // This also runs after an Error, so that the request always ends.
            isNew = answered(entry, answer);
        }
        return isNew;
    }

    private synchronized boolean answered(Entry entry, GangObjectAnswer answer) {
        long now = nanoTime.getAsLong();
        var before = entry.reading;
        entry.waits = false;
        if (answer instanceof Read read) {
            recovered(entry.origin());
            keep(entry, read, now);
        } else if (answer instanceof Unusable unusable) {
            recovered(entry.origin());
            drop(entry, unusable.reason(), now);
        } else if (answer instanceof Failed failed) {
            entry.failed(failed, now);
            if (failed.failure() == Failure.MALFORMED) {
                pause(entry, now);
            } else {
                failed(entry.origin(), failed, now);
            }
        }
        return !entry.reading.equals(before);
    }

    private void keep(Entry entry, Read read, long now) {
        int others = total - entry.size;
        int ofNamespace = of(entry.object.namespace())
                .filter(other -> other != entry)
                .mapToInt(other -> other.size)
                .sum();
        if (others + read.size() > LARGEST_TOTAL || ofNamespace + read.size() > LARGEST_OF_NAMESPACE) {
            drop(
                    entry,
                    "%s is not kept: the objects that describe gangs have more than %d characters together, or more than %d in this namespace"
                            .formatted(entry.object, LARGEST_TOTAL, LARGEST_OF_NAMESPACE),
                    now);
            return;
        }
        total = others + read.size();
        entry.size = read.size();
        entry.failures = 0;
        entry.failingSince = null;
        entry.nextReadAt = now + REFRESH.toNanos();
        if (!(entry.reading instanceof Found found && found.object().equals(read.object()))) {
            entry.reading = new Found(read.object());
        }
    }

    private void drop(Entry entry, String reason, long now) {
        total -= entry.size;
        entry.size = 0;
        entry.reading = new Unreadable(reason);
        pause(entry, now);
    }

    private static void pause(Entry entry, long now) {
        entry.nextReadAt = now + pauseAfter(++entry.failures).toNanos();
    }

    private static Duration pauseAfter(int failures) {
        return Durations.doubled(FIRST_PAUSE, failures - 1, LONGEST_PAUSE);
    }

    private void failed(Origin origin, Failed failed, long now) {
        if (outages.entrySet().stream()
                .noneMatch(known -> known.getKey().isOfKindOf(origin)
                        && known.getValue().last.failure() == failed.failure())) {
            log.warn(
                    "objects of kind {} of {} cannot be read, trying again at most every {}: {}",
                    origin.kind(),
                    origin.group(),
                    Durations.format(LONGEST_PAUSE),
                    failed.problem());
        }
        var outage = outages.computeIfAbsent(origin, any -> new Outage(failed));
        outage.last = failed;
        outage.until = now + pauseAfter(++outage.failures).toNanos();
    }

    private void recovered(Origin origin) {
        if (outages.remove(origin) != null && outages.keySet().stream().noneMatch(origin::isOfKindOf)) {
            log.info("objects of kind {} of {} can be read again", origin.kind(), origin.group());
        }
    }

    private static boolean isPast(@Nullable Long time, long now) {
        return time == null || now - time >= 0;
    }

    /** Ends the thread. A running request is cancelled. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
