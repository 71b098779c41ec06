package dev.trainyard.bench.measure;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * The figures of one server over all of its rounds. Times are in microseconds.
 *
 * @param requestsPerSecond median of the rounds
 * @param p50 median of the latencies of all rounds
 * @param p99 99th percentile of the latencies of all rounds
 * @param p999 99.9th percentile of the latencies of all rounds
 * @param cpu CPU time of the server for one request, median of the rounds
 * @param busy number of CPUs that the server kept busy, median of the rounds; if it is far below 1, the server was not the bottleneck
 */
public record Figures(double requestsPerSecond, double p50, double p99, double p999, double cpu, double busy) {

    static Figures of(List<MeasuredRound> rounds) {
        var all = new Histogram(3);
        rounds.forEach(round -> all.add(round.load().latencies()));
        var latencies = Latencies.of(all);
        return new Figures(
                median(rounds, round -> round.load().requestsPerSecond()),
                latencies.p50(),
                latencies.p99(),
                latencies.p999(),
                median(rounds, MeasuredRound::cpuPerRequest),
                median(rounds, MeasuredRound::busy));
    }

    /** Returns the median: the middle value, or the mean of the two middle values. */
    static <T> double median(List<T> items, ToDoubleFunction<T> value) {
        return median(items.stream().mapToDouble(value).toArray());
    }

    /** Returns the median: the middle value, or the mean of the two middle values. */
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
