package dev.trainyard.runtime.kubernetes;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A detector of the permanent loss of a watch. Short interruptions, which every watch has, do not count as a loss. Thread-safe. */
public final class WatchLoss {

    private final Duration timeout;
    private final LongSupplier nanoTime;
    private long lastAlive;

    /** @param timeout time after which an interrupted watch counts as lost; must be longer than a watch needs to reopen */
    public WatchLoss(Duration timeout, LongSupplier nanoTime) {
        this.timeout = timeout;
        this.nanoTime = nanoTime;
        this.lastAlive = nanoTime.getAsLong();
    }

    /**
     * Whether the watch has been dead for longer than the timeout. Must be called regularly, because each call records whether the watch is
     * alive.
     */
    public boolean isLost(boolean alive) {
        return age(alive).compareTo(timeout) > 0;
    }

    /**
     * Returns the time since the watch was last known to be alive; zero if it is alive. Must be called regularly, because each call records
     * whether the watch is alive.
     */
    public synchronized Duration age(boolean alive) {
        long now = nanoTime.getAsLong();
        if (alive) {
            lastAlive = now;
        }
        return Duration.ofNanos(now - lastAlive);
    }
}
