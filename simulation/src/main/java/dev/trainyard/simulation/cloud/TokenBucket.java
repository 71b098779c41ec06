package dev.trainyard.simulation.cloud;

import java.time.Duration;

/** A limit on calls per minute. A full bucket allows the calls of one minute at once. Not thread-safe. */
final class TokenBucket {

    private static final double MINUTE = Duration.ofMinutes(1).toNanos();

    private final int size;
    private double tokens;
    private long filled;

    TokenBucket(int size) {
        this.size = size;
        this.tokens = size;
    }

    /**
     * Takes a token.
     *
     * @param nanos the time of a monotonic clock
     * @return false if no token is left
     */
    boolean take(long nanos) {
        tokens = Math.min(size, tokens + size * ((nanos - filled) / MINUTE));
        filled = nanos;
        if (tokens < 1) {
            return false;
        }
        tokens--;
        return true;
    }
}
