package dev.trainyard.bench.measure;

import dev.trainyard.bench.load.Load;
import java.time.Duration;

/**
 * One round under load.
 *
 * @param cpu what the server used in it
 */
public record Round(Load load, Duration cpu) {

    private static final double MICRO = 1e-3;

    /** In microseconds. */
    public double cpuPerRequest() {
        return cpu.toNanos() * MICRO / load.requests();
    }

    /** In microseconds, of requests of every kind. */
    public double p99() {
        return load.latencies().getValueAtPercentile(99) * MICRO;
    }

    /** In microseconds, of requests of one kind. */
    public double percentile(String kind, double percent) {
        return load.latencies(kind).getValueAtPercentile(percent) * MICRO;
    }

    /** How many CPUs the server kept busy. */
    double busy() {
        return (double) cpu.toNanos() / load.nanos();
    }
}
