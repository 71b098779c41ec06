package dev.trainyard.scaler;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * For how long this process may act on what it was elected for. A process that stood still, as in a long collection of garbage, goes on in
 * the middle of what it did, before its election finds out that another process leads; it has to look itself, and needs nobody for that.
 * Counted by a clock that nobody sets. Thread-safe.
 */
public final class Tenure {

    /**
     * For so long after it was begun, a renewal counts: as long as the election tries to renew the Lease before it gives up. Others wait
     * half as long again ({@link #LEASE}), which is the time that requests have to arrive.
     */
    public static final Duration RENEWED_WITHIN = Duration.ofSeconds(10);

    /** For so long after it was renewed last, others leave the Lease alone: the values of kube-controller-manager. */
    public static final Duration LEASE = Duration.ofSeconds(15);

    private final LongSupplier nanoTime;
    private volatile long until;
    private volatile boolean begun;

    /** @param nanoTime a clock that nobody sets, in nanoseconds */
    public Tenure(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Records a renewal of the Lease.
     *
     * @param from when that began which renewed the Lease
     */
    public void renewed(long from) {
        until = from + RENEWED_WITHIN.toNanos();
        begun = true;
    }

    /** The Lease was given back. */
    public void ended() {
        begun = false;
    }

    /** Whether nobody else can lead yet. */
    public boolean lasts() {
        return begun && nanoTime.getAsLong() - until < 0;
    }
}
