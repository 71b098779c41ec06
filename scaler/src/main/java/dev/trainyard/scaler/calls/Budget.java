package dev.trainyard.scaler.calls;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A token bucket: how many calls of one kind an API still allows. Calls that come when it is empty are spread over the time in which it
 * fills. Thread-safe.
 */
final class Budget {

    private final double nanosPerToken;
    private final int burst;
    private final LongSupplier nanoTime;
    /** When the bucket would have been empty if all that was taken had been taken evenly. */
    private double emptyAt;

    Budget(double perSecond, int burst, LongSupplier nanoTime) {
        this.nanosPerToken = 1e9 / perSecond;
        this.burst = burst;
        this.nanoTime = nanoTime;
        this.emptyAt = nanoTime.getAsLong() - burst * nanosPerToken;
    }

    /**
     * Takes a token, perhaps one that is not there yet.
     *
     * @return how long to wait for it; empty, with nothing taken, when that would be longer than {@code atMost}
     */
    synchronized Optional<Duration> take(Duration atMost) {
        long now = nanoTime.getAsLong();
        double full = now - burst * nanosPerToken;
        double next = Math.max(emptyAt, full) + nanosPerToken;
        var wait = Duration.ofNanos((long) Math.max(0, next - now));
        if (wait.compareTo(atMost) > 0) {
            return Optional.empty();
        }
        emptyAt = next;
        return Optional.of(wait);
    }

    /**
     * Takes as many tokens as are there, and {@code most} at most.
     *
     * @return how many were taken
     */
    synchronized int takeWhatIsThere(int most) {
        long now = nanoTime.getAsLong();
        double from = Math.max(emptyAt, now - burst * nanosPerToken);
        int taken = (int) Math.min(most, Math.max(0, (now - from) / nanosPerToken));
        emptyAt = from + taken * nanosPerToken;
        return taken;
    }

    /** The API said that it is asked too often: whatever it allows at once is used up. */
    synchronized void exhaust() {
        emptyAt = Math.max(emptyAt, (double) nanoTime.getAsLong());
    }
}
