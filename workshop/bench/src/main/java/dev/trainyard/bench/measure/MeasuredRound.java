package dev.trainyard.bench.measure;

import dev.trainyard.bench.load.Load;
import java.time.Duration;

/**
 * The measurements of one server in one round under load.
 *
 * @param cpu CPU time of the server in this round
 */
public record MeasuredRound(Load load, Duration cpu) {

    private static final double MICRO = 1e-3;

    /** Returns the CPU time for one request in microseconds. */
    public double cpuPerRequest() {
        return cpu.toNanos() * MICRO / load.requests();
    }

    /** Returns the 99th percentile of all latencies in microseconds. */
    public double p99() {
        return load.latencies().getValueAtPercentile(99) * MICRO;
    }

    /** Returns a percentile of the latencies of one kind in microseconds. */
    public double percentile(String kind, double percent) {
        return load.latencies(kind).getValueAtPercentile(percent) * MICRO;
    }

    /** Returns the number of CPUs that the server kept busy. */
    double busy() {
        return (double) cpu.toNanos() / load.nanos();
    }
}
