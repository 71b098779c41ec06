package dev.trainyard.bench.measure;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * What one server did in all rounds of one kind. Times are in microseconds.
 *
 * @param requestsPerSecond the median round's
 * @param p50 of the latencies of all rounds; so {@code p99} and {@code p999}
 * @param cpu of the server for one request, the median round's
 * @param busy how many CPUs the server kept busy, the median round's; far below 1 it was not the server that set the pace
 */
public record Figures(double requestsPerSecond, double p50, double p99, double p999, double cpu, double busy) {

    static Figures of(List<Round> rounds) {
        var all = new Histogram(3);
        rounds.forEach(round -> all.add(round.load().latencies()));
        var latencies = Latencies.of(all);
        return new Figures(
                median(rounds, round -> round.load().requestsPerSecond()),
                latencies.p50(),
                latencies.p99(),
                latencies.p999(),
                median(rounds, Round::cpuPerRequest),
                median(rounds, Round::busy));
    }

    /** The middle one of the values, or the mean of the two in the middle. */
    static <T> double median(List<T> items, ToDoubleFunction<T> value) {
        return median(items.stream().mapToDouble(value).toArray());
    }

    /** The middle one of the values, or the mean of the two in the middle. */
    public static double median(double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("the median of nothing");
        }
        var sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
