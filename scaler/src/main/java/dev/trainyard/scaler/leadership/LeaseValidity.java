package dev.trainyard.scaler.leadership;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time for which this process may act as the leader. A process may be paused, such as by a long garbage collection. It then continues
 * its work before its elector notices that another process leads. So the process also checks its own monotonic clock before each change,
 * without any request. Thread-safe.
 */
public final class LeaseValidity {

    /**
     * How long a renewal is valid, counted from its beginning. The elector retries a renewal for the same time before it gives up. Other
     * processes wait 5 s longer ({@link #LEASE}), which leaves time for requests in flight.
     */
    public static final Duration RENEWED_WITHIN = Duration.ofSeconds(10);

    /** How long other processes wait after the last renewal before they take the Lease. This is the default of kube-controller-manager. */
    public static final Duration LEASE = Duration.ofSeconds(15);

    private final LongSupplier nanoTime;
    private volatile long until;
    private volatile boolean begun;

    /** @param nanoTime a monotonic clock, in nanoseconds */
    public LeaseValidity(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Records a renewal of the Lease.
     *
     * @param from when the renewal began
     */
    public void renewed(long from) {
        until = from + RENEWED_WITHIN.toNanos();
        begun = true;
    }

    /** Records that the Lease is released. */
    public void ended() {
        begun = false;
    }

    /** Whether this process may still act as the leader, since no other process can lead yet. */
    public boolean lasts() {
        return begun && nanoTime.getAsLong() - until < 0;
    }
}
