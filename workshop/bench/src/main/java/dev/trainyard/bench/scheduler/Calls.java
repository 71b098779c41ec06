package dev.trainyard.bench.scheduler;

import dev.trainyard.bench.measure.MetricHistogram;

/**
 * The scheduler's calls of one kind in a trial, as measured by the extender: from the head of a request to the end of its answer.
 *
 * @param count number of answered calls
 * @param mean mean time in microseconds; the percentiles {@code p50} and {@code p99} are also in microseconds, and are estimated from
 *     histogram buckets
 */
public record Calls(long count, double mean, double p50, double p99) {

    private static final double HALF = 0.5;
    private static final double MOST = 0.99;

    static Calls of(MetricHistogram times) {
        return new Calls(times.count(), times.mean(), times.quantile(HALF), times.quantile(MOST));
    }
}
