package dev.trainyard.runtime.namespace;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Tells a watch that is lost for good from one that is being renewed, as all are now and then. Thread-safe. */
final class WatchLoss {

    private final Duration patience;
    private final LongSupplier nanoTime;
    private long lastAlive;

    WatchLoss(Duration patience, LongSupplier nanoTime) {
        this.patience = patience;
        this.nanoTime = nanoTime;
        this.lastAlive = nanoTime.getAsLong();
    }

    /** To be asked now and then. @return whether the watch has been dead for longer than is to be expected */
    synchronized boolean isLost(boolean alive) {
        long now = nanoTime.getAsLong();
        if (alive) {
            lastAlive = now;
        }
        return now - lastAlive > patience.toNanos();
    }
}
