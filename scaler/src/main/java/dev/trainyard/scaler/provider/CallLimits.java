package dev.trainyard.scaler.provider;

/**
 * How often a cloud's API may be called, for all pools together. Clouds allow bursts: a bucket of calls that fills again as time passes.
 *
 * @param readsPerSecond how fast the bucket of reads fills
 * @param readBurst reads at once when it is full
 * @param writesPerSecond the same for calls that change something, of which clouds allow far fewer
 * @param writeBurst those at once
 */
public record CallLimits(double readsPerSecond, int readBurst, double writesPerSecond, int writeBurst) {

    /** For an API of which nothing better is known. */
    public static final CallLimits USUAL = new CallLimits(10, 100, 5, 50);

    public CallLimits {
        if (!(readsPerSecond > 0) || !(writesPerSecond > 0) || readBurst < 1 || writeBurst < 1) {
            throw new IllegalArgumentException("limits of calls must be positive, not %s, %d, %s, %d"
                    .formatted(readsPerSecond, readBurst, writesPerSecond, writeBurst));
        }
    }
}
