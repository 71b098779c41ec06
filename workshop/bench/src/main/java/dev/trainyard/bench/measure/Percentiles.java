package dev.trainyard.bench.measure;

import java.util.Arrays;

/** Percentiles of measured values, by the nearest-rank method. */
public record Percentiles(double p50, double p99, double max) {

    /**
     * Returns the percentiles of values.
     *
     * @throws IllegalArgumentException if there are no values
     */
    public static Percentiles of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("expected at least one value");
        }
        var sorted = values.clone();
        Arrays.sort(sorted);
        return new Percentiles(nearestRank(sorted, 50), nearestRank(sorted, 99), nearestRank(sorted, 100));
    }

    /** Returns the percentiles of times in milliseconds. */
    public static Percentiles ofMillis(long... values) {
        return of(Arrays.stream(values).asDoubleStream().toArray());
    }

    /** Returns the smallest of the sorted values that is not below {@code percent} of them. */
    public static double nearestRank(double[] sorted, int percent) {
        return sorted[(sorted.length * percent + 99) / 100 - 1];
    }
}
