package dev.trainyard.scaler.provider;

/**
 * The limits of calls to a cloud's API, for all pools together. Clouds allow bursts: a bucket of calls that fills over time.
 *
 * @param readsPerSecond how fast the bucket of reads fills
 * @param readBurst reads at once if the bucket is full
 * @param writesPerSecond how fast the bucket of changing calls fills, which is far slower
 * @param writeBurst changing calls at once if the bucket is full
 */
public record CallLimits(double readsPerSecond, int readBurst, double writesPerSecond, int writeBurst) {

    /** Limits for an API without documented limits. */
    public static final CallLimits USUAL = new CallLimits(10, 100, 5, 50);

    public CallLimits {
        if (!(readsPerSecond > 0) || !(writesPerSecond > 0) || readBurst < 1 || writeBurst < 1) {
            throw new IllegalArgumentException(
                    "call limits must be positive: readsPerSecond=%s, readBurst=%d, writesPerSecond=%s, writeBurst=%d"
                            .formatted(readsPerSecond, readBurst, writesPerSecond, writeBurst));
        }
    }
}
