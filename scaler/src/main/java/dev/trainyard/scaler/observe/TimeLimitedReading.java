package dev.trainyard.scaler.observe;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A time limit for reading one object, and for reading all objects of a round (one pass of the scaler's loop). If an object takes too long,
 * its thread continues, but the round goes on without the object. A later round uses the thread's result. If too many threads are still
 * reading, or the round's time is over, the round reads no further objects. The next round reads them: by then, finished readings are
 * cached.
 */
public final class TimeLimitedReading implements ReadingLimit, AutoCloseable {

    private static final int MOST_KEPT = 8;

    private final Duration perObject;
    private final Duration perRound;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "pod-reading");
        thread.setDaemon(true);
        return thread;
    });

    /** Readings that took too long, by key. */
    private final Map<String, Future<?>> late = new HashMap<>();

    /** Keys that this round asked for. A late reading with another key is useless: its object has changed or no longer exists. */
    private final Set<String> wanted = new HashSet<>();

    private long roundEnd;

    /**
     * @param perObject how long the reading of one object may take
     * @param perRound how long all readings after {@link #begin} may take
     */
    public TimeLimitedReading(Duration perObject, Duration perRound) {
        this.perObject = perObject;
        this.perRound = perRound;
        begin();
    }

    @Override
    public void begin() {
        late.entrySet().removeIf(entry -> entry.getValue().isDone() && !wanted.contains(entry.getKey()));
        wanted.clear();
        roundEnd = System.nanoTime() + perRound.toNanos();
    }

    @Override
    public <R> Optional<R> read(String key, Supplier<R> reading) {
        wanted.add(key);
        long left = Math.min(perObject.toNanos(), roundEnd - System.nanoTime());
        @SuppressWarnings("unchecked") // all readings of one key have the same type
        var begun = (Future<R>) late.remove(key);
        if (begun == null && (left <= 0 || late.size() >= MOST_KEPT)) {
            return Optional.empty();
        }
        var future = begun == null ? threads.submit(reading::get) : begun;
        try {
            return Optional.of(future.get(begun == null ? left : 0, TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            late.put(key, future);
            return Optional.empty();
        } catch (ExecutionException e) {
            throw new IllegalArgumentException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while pods were read", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
