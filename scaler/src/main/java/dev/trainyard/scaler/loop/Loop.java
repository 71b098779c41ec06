package dev.trainyard.scaler.loop;

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
 * A loop that runs rounds on one thread. A round starts soon after an event. Without an event, a round starts at the time that the last
 * round returned, or after the scan interval. Pods are often created in bursts, so the loop waits for a limited time until a burst has
 * ended. The loop uses a monotonic clock: jumps of the wall clock do not change its pace. Thread-safe.
 */
public final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);

    /**
     * The time after which a running round counts as stuck. No round should take longer, since every call in a round has its own time
     * limit.
     */
    private static final Duration STUCK = Duration.ofMinutes(5);

    /** The work that the loop runs. */
    @FunctionalInterface
    public interface Body {
        /** Runs a round and returns the latest time for the next one; empty if the scan interval decides. */
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
    private final RoundSchedule pace;

    private boolean closed;

    private volatile long lastProgress;
    private volatile boolean started;

    /**
     * @param demandToCome returns whether more pods are about to become pending, so that a burst continues
     * @param clock the wall clock that rounds use
     */
    public Loop(Body body, BooleanSupplier demandToCome, Duration scanInterval, Duration batchWindow, Clock clock) {
        this(
                body,
                demandToCome,
                scanInterval,
                batchWindow,
                clock,
                System::nanoTime,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /** @param random returns numbers from 0 to 1, for random pauses after failures */
    public Loop(
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
        this.pace = new RoundSchedule(scanInterval, batchWindow, random, lastProgress);
        this.thread = new Thread(this::run, "rounds");
        this.thread.setDaemon(true);
    }

    public void start() {
        lastProgress = nanoTime.getAsLong();
        started = true;
        thread.start();
    }

    /** Reports an event, so that a round starts soon. */
    public void wake() {
        signal(pace::happened);
    }

    /** Reports a pod that became pending; more may follow. */
    public void wakeForDemand() {
        signal(pace::demanded);
    }

    /**
     * Reports that the extender left a pod without a node. The report does not count as one more pod, since the extender may report the
     * same pod repeatedly.
     */
    public void wakeForReport() {
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

    /** Returns why rounds seem to be stuck or to fail, as text; empty if rounds succeed or have not begun. */
    public Optional<String> stalled() {
        if (!started) {
            return Optional.empty();
        }
        var since = Duration.ofNanos(nanoTime.getAsLong() - lastProgress);
        return since.compareTo(scanInterval.plus(STUCK)) > 0
                ? Optional.of("no round has succeeded for %d s".formatted(since.toSeconds()))
                : Optional.empty();
    }

    /** Whether the loop has ended: no round is running, and none will start. */
    public boolean isAtRest() {
        return !thread.isAlive();
    }

    /** Stops the loop, and waits for at most 10 s until the current round has ended. */
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
                // Errors are caught too: if the thread ended, the process would keep the Lease without running rounds.
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

    /** @return false if the loop was closed */
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
