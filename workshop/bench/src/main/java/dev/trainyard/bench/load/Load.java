package dev.trainyard.bench.load;

import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/**
 * The results of a period of load.
 *
 * @param nanos duration of the load
 * @param byKind latencies of the requests of each kind, in nanoseconds, from the first byte written to the last byte read
 */
public record Load(long nanos, Map<String, Histogram> byKind) {

    private static final int DIGITS = 3;

    public Load {
        byKind = Map.copyOf(byKind);
    }

    /** Returns the latencies of all requests. */
    public Histogram latencies() {
        var all = new Histogram(DIGITS);
        byKind.values().forEach(all::add);
        return all;
    }

    /** Returns the latencies of the requests of one kind; empty if there were none. */
    public Histogram latencies(String kind) {
        return Objects.requireNonNullElseGet(byKind.get(kind), () -> new Histogram(DIGITS));
    }

    public long requests() {
        return byKind.values().stream().mapToLong(Histogram::getTotalCount).sum();
    }

    public double requestsPerSecond() {
        return requests() * 1e9 / nanos;
    }
}
