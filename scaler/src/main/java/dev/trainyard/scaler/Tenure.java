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
     * For so long after it was asked for, a renewal counts: as long as the election tries to renew the Lease before it gives up. Others wait
     * half as long again ({@link #LEASE}), so that requests that were sent in time arrive in time.
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

    /** @param asked when the request was sent that renewed the Lease */
    public void renewed(long asked) {
        until = asked + RENEWED_WITHIN.toNanos();
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
