package dev.trainyard.scaler.provider;

/**
 * The limits of calls to a cloud's API, for all pools together. Clouds allow bursts, so each limit is a token bucket: a store of allowed
 * calls that fills over time.
 *
 * @param readsPerSecond how many reads per second the bucket of reads gains
 * @param readBurst how many reads a full bucket allows at once
 * @param writesPerSecond how many changing calls per second the bucket of changing calls gains; usually fewer than reads
 * @param writeBurst how many changing calls a full bucket allows at once
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
