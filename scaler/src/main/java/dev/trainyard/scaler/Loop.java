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
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs rounds on one thread: soon after something happened, when a round said that time alone will change something, and at the scan interval
 * anyway. Pods are seldom created one at a time, so that the loop waits for a burst to end before it looks. It counts time by a clock that
 * nobody sets: a wall clock that jumps neither stops it nor makes it hurry. Thread-safe.
 */
final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);

    /** A round that takes longer than this is stuck: every call in it has a limit of its own. */
    private static final Duration STUCK = Duration.ofMinutes(5);

    /** What the loop runs. */
    @FunctionalInterface
    interface Body {
        /** Runs a round and returns when the next one is due at the latest. */
        Optional<Instant> round();
    }

    private final Body body;
    private final BooleanSupplier demandToCome;
    private final Duration scanInterval;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition happened = lock.newCondition();
    /** Guarded by the lock. */
    private final Pace pace;

    private boolean closed;

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
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.lastProgress = nanoTime.getAsLong();
        this.pace = new Pace(scanInterval, batchWindow, random, lastProgress);
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
        signal(pace::happened);
    }

    /** A pod became pending: there may be more to come. */
    void wakeForDemand() {
        signal(pace::demanded);
    }

    /** Somebody reports a pending pod, perhaps again. */
    void wakeForReport() {
        signal(pace::expected);
    }

    private void signal(LongConsumer event) {
        lock.lock();
        try {
            event.accept(nanoTime.getAsLong());
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
        while (await()) {
            try {
                var next = body.round();
                lastProgress = nanoTime.getAsLong();
                var wait = next.map(time -> Duration.between(clock.instant(), time))
                        .orElse(null);
                paced(now -> pace.ended(now, wait));
            } catch (RuntimeException | Error e) {
                // An Error too: a thread that ended would leave the Lease held and nothing done.
                paced(now -> log.error(
                        "a round failed; the next one tries again in {} ms",
                        pace.failed(now).toMillis(),
                        e));
            }
        }
    }

    private void paced(LongConsumer change) {
        lock.lock();
        try {
            change.accept(nanoTime.getAsLong());
        } finally {
            lock.unlock();
        }
    }

    /** @return false when the loop was closed */
    private boolean await() {
        lock.lock();
        try {
            while (!closed) {
                long now = nanoTime.getAsLong();
                long wait = pace.next() - now;
                if (wait > 0) {
                    wait = happened.awaitNanos(wait);
                } else if (pace.mayWaitForMore(now) && demandToCome.getAsBoolean()) {
                    pace.expected(now);
                } else {
                    pace.begun(now);
                    return true;
                }
            }
            return false;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }
}
