package dev.trainyard.bench.scale;

import java.util.Arrays;

/** Percentiles of measured values, by the nearest-rank method. */
public record Percentiles(double p50, double p99, double max) {

    /** @throws IllegalArgumentException if there are no values */
    static Percentiles of(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("expected at least one value");
        }
        var sorted = values.clone();
        Arrays.sort(sorted);
        return new Percentiles(at(sorted, 50), at(sorted, 99), at(sorted, 100));
    }

    static Percentiles ofMillis(long... values) {
        return of(Arrays.stream(values).asDoubleStream().toArray());
    }

    private static double at(double[] sorted, int percent) {
        return sorted[(sorted.length * percent + 99) / 100 - 1];
    }
}
