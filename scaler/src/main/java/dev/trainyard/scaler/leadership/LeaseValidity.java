package dev.trainyard.scaler.leadership;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time for which this process may act as the leader. A process that was paused, as by a long garbage collection, continues its work
 * before its elector notices that another process leads. So the process checks its own clock, without any request. Uses a monotonic clock.
 * Thread-safe.
 */
public final class LeaseValidity {

    /**
     * How long a renewal counts after it began: as long as the elector retries a renewal before it gives up. Others wait half as long again
     * ({@link #LEASE}), which leaves time for requests in flight.
     */
    public static final Duration RENEWED_WITHIN = Duration.ofSeconds(10);

    /** How long other processes wait after the last renewal before they take the Lease: the value of kube-controller-manager. */
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

    /** Records that the Lease was released. */
    public void ended() {
        begun = false;
    }

    /** Whether no other process can lead yet. */
    public boolean lasts() {
        return begun && nanoTime.getAsLong() - until < 0;
    }
}
