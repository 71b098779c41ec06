package dev.trainyard.bench.measure;

import java.util.List;
import org.HdrHistogram.Histogram;

/** Latencies of requests over all rounds, in microseconds. */
public record Latencies(double mean, double p50, double p99, double p999) {

    private static final double MICRO = 1e-3;

    /** Returns the latencies of requests of one kind. */
    static Latencies of(List<MeasuredRound> rounds, String kind) {
        var all = new Histogram(3);
        rounds.forEach(round -> all.add(round.load().latencies(kind)));
        return of(all);
    }

    static Latencies of(Histogram nanos) {
        return new Latencies(
                nanos.getMean() * MICRO,
                nanos.getValueAtPercentile(50) * MICRO,
                nanos.getValueAtPercentile(99) * MICRO,
                nanos.getValueAtPercentile(99.9) * MICRO);
    }
}
