package dev.trainyard.scaler;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs rounds on one thread: soon after something happened, when a round said that time alone will change something, and at the scan interval
 * anyway. Pods are seldom created one at a time, so that the loop waits for a burst to end before it looks. It counts time by a clock that
 * nobody sets: a wall clock that jumps neither stops it nor makes it hurry. Thread-safe.
 */
final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);

    /** A stream of new demand puts a round off for at most this many batch windows. */
    private static final int PATIENCE = 15;

    /** A round that takes longer than this is stuck: every call in it has a limit of its own. */
    private static final Duration STUCK = Duration.ofMinutes(5);

    /** After a round that failed the next one comes no sooner than this, whatever happens; doubled for each one that failed before it. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** However many rounds failed: whatever was wrong is over at some time, and then somebody waits. */
    static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /** @return when the next round is due at the latest */
    @FunctionalInterface
    interface Body {
        Optional<Instant> round();
    }

    private final Body body;
    private final BooleanSupplier demandToCome;
    private final Duration scanInterval;
    private final Duration batchWindow;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition happened = lock.newCondition();
    /** When the first event and the last new demand since the last round came; null: none did. Guarded by the lock. */
    private @Nullable Long first;

    private @Nullable Long lastDemand;
    private boolean closed;
    /** Rounds that failed in a row, and when the next one may be run. For the thread alone. */
    private int failures;

    private long notBefore;

    private volatile long lastProgress;
    private volatile boolean started;

    /**
     * @param demandToCome whether a burst is known not to be over yet
     * @param clock what rounds go by
     */
    Loop(Body body, BooleanSupplier demandToCome, Duration scanInterval, Duration batchWindow, Clock clock) {
        this(
                body,
                demandToCome,
                scanInterval,
                batchWindow,
                clock,
                System::nanoTime,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /** @param random from 0 to 1 */
    Loop(
            Body body,
            BooleanSupplier demandToCome,
            Duration scanInterval,
            Duration batchWindow,
            Clock clock,
            LongSupplier nanoTime,
            DoubleSupplier random) {
        this.body = body;
        this.demandToCome = demandToCome;
        this.scanInterval = scanInterval;
        this.batchWindow = batchWindow;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.random = random;
        this.lastProgress = nanoTime.getAsLong();
        this.notBefore = lastProgress;
        this.thread = new Thread(this::run, "rounds");
        this.thread.setDaemon(true);
    }

    void start() {
        lastProgress = nanoTime.getAsLong();
        started = true;
        thread.start();
    }

    /** Something happened that a round should look at. */
    void wake() {
        signal(false);
    }

    /** A pod began to wait: there may be more to come. */
    void wakeForDemand() {
        signal(true);
    }

    private void signal(boolean demand) {
        lock.lock();
        try {
            long now = nanoTime.getAsLong();
            first = first == null ? Long.valueOf(now) : first;
            lastDemand = demand ? Long.valueOf(now) : lastDemand;
            happened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Why rounds have stopped; empty while they go on, and before the first. */
    Optional<String> stalled() {
        if (!started) {
            return Optional.empty();
        }
        var since = Duration.ofNanos(nanoTime.getAsLong() - lastProgress);
        return since.compareTo(scanInterval.plus(STUCK)) > 0
                ? Optional.of("no round has ended well for %d s".formatted(since.toSeconds()))
                : Optional.empty();
    }

    /** Whether no round is running, nor will be. */
    boolean isAtRest() {
        return !thread.isAlive();
    }

    /** Lets the round that runs end. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            happened.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(Duration.ofSeconds(10).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        long due = nanoTime.getAsLong();
        while (await(due)) {
            long begun = nanoTime.getAsLong();
            due = begun + scanInterval.toNanos();
            try {
                var next = body.round();
                lastProgress = nanoTime.getAsLong();
                failures = 0;
                if (next.isPresent()) {
                    due = Math.min(due, lastProgress + nanosUntil(next.get()));
                }
            } catch (RuntimeException | Error e) {
                // An Error too: a thread that ended would leave the Lease held and nothing done.
                var pause = pause(++failures, random.getAsDouble());
                notBefore = nanoTime.getAsLong() + pause.toNanos();
                due = notBefore;
                log.error("a round failed; the next one tries again in {} ms", pause.toMillis(), e);
            }
        }
    }

    /** Between half of it and all of it, so that two scalers that failed together do not try together. */
    static Duration pause(int failures, double random) {
        int doublings = Math.min(failures - 1, 20);
        var longest = FIRST_PAUSE.multipliedBy(1L << doublings);
        longest = longest.compareTo(LONGEST_PAUSE) < 0 ? longest : LONGEST_PAUSE;
        return Duration.ofNanos((long) (longest.toNanos() * (0.5 + random / 2)));
    }

    private long nanosUntil(Instant time) {
        var wait = Duration.between(clock.instant(), time);
        // Users may write durations of centuries, which nanoseconds cannot count.
        return wait.compareTo(scanInterval) < 0 ? wait.toNanos() : scanInterval.toNanos();
    }

    /** @return false when the loop was closed */
    private boolean await(long due) {
        lock.lock();
        try {
            while (!closed) {
                long wait = Math.max(wakeAt(due) - nanoTime.getAsLong(), notBefore - nanoTime.getAsLong());
                if (wait <= 0) {
                    if (mayWaitForMore()) {
                        lastDemand = nanoTime.getAsLong();
                        continue;
                    }
                    first = null;
                    lastDemand = null;
                    return true;
                }
                if (happened.awaitNanos(wait) <= 0) {
                    continue;
                }
            }
            return false;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    private boolean mayWaitForMore() {
        return lastDemand != null
                && first != null
                && nanoTime.getAsLong() < latest(first)
                && demandToCome.getAsBoolean();
    }

    private long wakeAt(long due) {
        if (first == null) {
            return due;
        }
        long soon = first + batchWindow.toNanos();
        if (lastDemand != null) {
            soon = Math.min(lastDemand + batchWindow.toNanos(), latest(first));
        }
        return Math.min(soon, due);
    }

    private long latest(long since) {
        return since + batchWindow.multipliedBy(PATIENCE).toNanos();
    }
}
