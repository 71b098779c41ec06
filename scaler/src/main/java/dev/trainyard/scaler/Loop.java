package dev.trainyard.scaler;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs rounds on one thread: soon after something happened, when a round said that time alone will change something, and at the scan interval
 * anyway. Pods are seldom created one at a time, so that the loop waits for a burst to end before it looks. Thread-safe.
 */
final class Loop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);

    /** A stream of new demand puts a round off for at most this many batch windows. */
    private static final int PATIENCE = 15;

    /** A round that takes longer than this is stuck: every call in it has a limit of its own. */
    private static final Duration STUCK = Duration.ofMinutes(5);

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
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition happened = lock.newCondition();
    /** When the first event and the last new demand since the last round came; null: none did. Guarded by the lock. */
    private @Nullable Instant first;

    private @Nullable Instant lastDemand;
    private boolean closed;

    private volatile Instant lastProgress;
    private volatile boolean started;

    /** @param demandToCome whether a burst is known not to be over yet */
    Loop(Body body, BooleanSupplier demandToCome, Duration scanInterval, Duration batchWindow, Clock clock) {
        this.body = body;
        this.demandToCome = demandToCome;
        this.scanInterval = scanInterval;
        this.batchWindow = batchWindow;
        this.clock = clock;
        this.lastProgress = clock.instant();
        this.thread = new Thread(this::run, "rounds");
        this.thread.setDaemon(true);
    }

    void start() {
        lastProgress = clock.instant();
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
            var now = clock.instant();
            first = first == null ? now : first;
            lastDemand = demand ? now : lastDemand;
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
        var since = Duration.between(lastProgress, clock.instant());
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
        Supplier<Instant> now = clock::instant;
        var due = now.get();
        while (await(due)) {
            due = now.get().plus(scanInterval);
            try {
                var next = body.round();
                if (next.isPresent() && next.get().isBefore(due)) {
                    due = next.get();
                }
                lastProgress = now.get();
            } catch (RuntimeException | Error e) {
                // An Error too: a thread that ended would leave the Lease held and nothing done.
                log.error("a round failed; the next one tries again", e);
            }
        }
    }

    /** @return false when the loop was closed */
    private boolean await(Instant due) {
        lock.lock();
        try {
            while (!closed) {
                var wait = Duration.between(clock.instant(), wakeAt(due));
                if (wait.isZero() || wait.isNegative()) {
                    if (mayWaitForMore()) {
                        lastDemand = clock.instant();
                        continue;
                    }
                    first = null;
                    lastDemand = null;
                    return true;
                }
                if (happened.awaitNanos(wait.toNanos()) <= 0) {
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
                && clock.instant().isBefore(first.plus(batchWindow.multipliedBy(PATIENCE)))
                && demandToCome.getAsBoolean();
    }

    private Instant wakeAt(Instant due) {
        if (first == null) {
            return due;
        }
        var soon = first.plus(batchWindow);
        if (lastDemand != null) {
            var quiet = lastDemand.plus(batchWindow);
            var latest = first.plus(batchWindow.multipliedBy(PATIENCE));
            soon = quiet.isBefore(latest) ? quiet : latest;
        }
        return soon.isBefore(due) ? soon : due;
    }
}
