package dev.trainyard.runtime.kubernetes;

import java.time.Duration;
import java.util.function.LongSupplier;

/** Tells a watch that is lost for good from one that is being renewed, as all are now and then. Thread-safe. */
public final class WatchLoss {

    private final Duration patience;
    private final LongSupplier nanoTime;
    private long lastAlive;

    /** @param patience longer than a watch takes to be opened again */
    public WatchLoss(Duration patience, LongSupplier nanoTime) {
        this.patience = patience;
        this.nanoTime = nanoTime;
        this.lastAlive = nanoTime.getAsLong();
    }

    /** To be asked now and then. @return whether the watch has been dead for longer than is to be expected */
    public boolean isLost(boolean alive) {
        return age(alive).compareTo(patience) > 0;
    }

    /** To be asked now and then. @return for how long nothing is known to have been heard; zero while the watch is alive */
    public synchronized Duration age(boolean alive) {
        long now = nanoTime.getAsLong();
        if (alive) {
            lastAlive = now;
        }
        return Duration.ofNanos(now - lastAlive);
    }
}
