package dev.trainyard.simulation.cloud;

import java.time.Duration;

/** A limit on calls: as many at once as in a minute. Not thread-safe. */
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
     * Takes one.
     *
     * @param nanos by a clock that nobody sets
     * @return false when there is none
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
