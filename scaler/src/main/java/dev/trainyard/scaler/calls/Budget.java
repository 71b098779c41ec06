package dev.trainyard.scaler.calls;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A token bucket: the number of calls of one kind that an API still allows. If the bucket is empty, each call waits for its own token,
 * which spreads the calls evenly. Thread-safe.
 */
final class Budget {

    private final double nanosPerToken;
    private final int burst;
    private final LongSupplier nanoTime;
    /**
     * The time, by {@code nanoTime}, at which the bucket was last empty and began to fill. The time is in the future if calls have taken
     * tokens in advance.
     */
    private double emptyAt;

    Budget(double perSecond, int burst, LongSupplier nanoTime) {
        this.nanosPerToken = 1e9 / perSecond;
        this.burst = burst;
        this.nanoTime = nanoTime;
        this.emptyAt = nanoTime.getAsLong() - burst * nanosPerToken;
    }

    /**
     * Takes a token, possibly one that is not available yet.
     *
     * @return how long to wait for the token. If the wait would be longer than {@code atMost}, no token is taken, and the result is empty
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
     * Takes all available tokens, but at most {@code most}.
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

    /** Empties the bucket, since the API has reported throttling. */
    synchronized void exhaust() {
        emptyAt = Math.max(emptyAt, (double) nanoTime.getAsLong());
    }
}
