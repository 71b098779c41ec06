package dev.trainyard.runtime.kubernetes;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A detector of watches that are lost permanently. All watches are interrupted for a short time now and then, which does not count.
 * Thread-safe.
 */
public final class WatchLoss {

    private final Duration timeout;
    private final LongSupplier nanoTime;
    private long lastAlive;

    /** @param timeout timeout; longer than it takes to reopen a watch */
    public WatchLoss(Duration timeout, LongSupplier nanoTime) {
        this.timeout = timeout;
        this.nanoTime = nanoTime;
        this.lastAlive = nanoTime.getAsLong();
    }

    /** Whether the watch has been dead for longer than the timeout. Must be called regularly. */
    public boolean isLost(boolean alive) {
        return age(alive).compareTo(timeout) > 0;
    }

    /** Returns the time since the watch was last known to be alive; zero if it is alive. Must be called regularly. */
    public synchronized Duration age(boolean alive) {
        long now = nanoTime.getAsLong();
        if (alive) {
            lastAlive = now;
        }
        return Duration.ofNanos(now - lastAlive);
    }
}
