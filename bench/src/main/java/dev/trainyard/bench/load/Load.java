package dev.trainyard.bench.load;

import org.HdrHistogram.Histogram;

/**
 * What a while of load has shown.
 *
 * @param nanos how long it lasted
 * @param latencies of all requests, in nanoseconds, from the first byte written to the last byte read
 */
public record Load(long nanos, Histogram latencies) {

    public long requests() {
        return latencies.getTotalCount();
    }

    public double requestsPerSecond() {
        return requests() * 1e9 / nanos;
    }
}
