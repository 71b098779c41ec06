package dev.trainyard.bench.reaction;

import dev.trainyard.bench.measure.Percentiles;
import java.util.Arrays;

/** Percentiles of durations, in milliseconds. Each percentile is a measured value, by the nearest-rank method. */
public record Times(double p50, double p90, double p99, double max) {

    private static final double NANOS_PER_MILLI = 1e6;

    /** @throws IllegalArgumentException if there are no values */
    static Times of(long... nanos) {
        if (nanos.length == 0) {
            throw new IllegalArgumentException("nanos is empty; expected at least one time");
        }
        var sorted = Arrays.stream(nanos)
                .sorted()
                .mapToDouble(time -> time / NANOS_PER_MILLI)
                .toArray();
        return new Times(
                Percentiles.nearestRank(sorted, 50),
                Percentiles.nearestRank(sorted, 90),
                Percentiles.nearestRank(sorted, 99),
                Percentiles.nearestRank(sorted, 100));
    }

    /** Returns these times, each reduced by {@code millis}. */
    Times minus(double millis) {
        return new Times(p50 - millis, p90 - millis, p99 - millis, max - millis);
    }
}
