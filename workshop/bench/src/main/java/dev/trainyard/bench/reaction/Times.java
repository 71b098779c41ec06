package dev.trainyard.bench.reaction;

import java.util.Arrays;

/** Percentiles of durations, in milliseconds. Each percentile is a measured value, by the nearest-rank method. */
public record Times(double p50, double p90, double p99, double max) {

    private static final double NANOS_PER_MILLI = 1e6;

    /** @throws IllegalArgumentException if there are no values */
    static Times of(long... nanos) {
        if (nanos.length == 0) {
            throw new IllegalArgumentException("nanos is empty; expected at least one time");
        }
        var sorted = nanos.clone();
        Arrays.sort(sorted);
        return new Times(at(sorted, 50), at(sorted, 90), at(sorted, 99), at(sorted, 100));
    }

    private static double at(long[] sorted, int percent) {
        int rank = (sorted.length * percent + 99) / 100;
        return sorted[rank - 1] / NANOS_PER_MILLI;
    }

    /** Returns these times, each reduced by {@code millis}. */
    Times minus(double millis) {
        return new Times(p50 - millis, p90 - millis, p99 - millis, max - millis);
    }
}
