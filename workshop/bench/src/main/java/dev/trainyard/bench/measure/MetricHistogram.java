package dev.trainyard.bench.measure;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Durations from a histogram in the metrics of a server. If labels select several series, their sum is taken.
 *
 * @param count number of durations
 * @param seconds sum of all durations
 * @param upTo number of durations that were at most a limit, by limit in seconds; the last limit is infinite
 */
public record MetricHistogram(long count, double seconds, Map<Double, Long> upTo) {

    private static final double MICRO = 1e6;

    public MetricHistogram {
        upTo = new TreeMap<>(upTo);
    }

    /**
     * Reads a histogram.
     *
     * @param name such as {@code trainyard_http_requests_seconds}
     * @param labels required labels, such as {@code path="/filter"}
     */
    public static MetricHistogram of(MetricsPage page, String name, String... labels) {
        var upTo = new TreeMap<Double, Long>();
        for (var bucket : page.lines(name + "_bucket", List.of(labels))) {
            upTo.merge(limit(bucket.label("le")), (long) bucket.value(), Long::sum);
        }
        return new MetricHistogram((long) page.sum(name + "_count", labels), page.sum(name + "_sum", labels), upTo);
    }

    /** Reads the durations of the requests to a path of a Trainyard server that were answered with status 200. */
    public static MetricHistogram answered(MetricsPage page, String path) {
        return of(page, "trainyard_http_requests_seconds", "path=\"" + path + "\"", "status=\"200\"");
    }

    /** Returns the durations since {@code before}. */
    public MetricHistogram since(MetricHistogram before) {
        var difference = new TreeMap<Double, Long>();
        upTo.forEach((limit, number) -> difference.put(limit, number - before.upTo.getOrDefault(limit, 0L)));
        return new MetricHistogram(count - before.count, seconds - before.seconds, difference);
    }

    /** Returns the mean duration in microseconds. */
    public double mean() {
        return count == 0 ? 0 : seconds / count * MICRO;
    }

    /**
     * Returns a quantile in microseconds, estimated like Prometheus' {@code histogram_quantile}. Durations are assumed to be distributed
     * evenly within a bucket, so narrow buckets give a good estimate. A quantile beyond the last finite limit is that limit.
     */
    public double quantile(double share) {
        double rank = share * count;
        double lower = 0;
        long below = 0;
        for (var bucket : upTo.entrySet()) {
            if (bucket.getValue() >= rank && bucket.getValue() > below) {
                if (bucket.getKey().isInfinite()) {
                    break;
                }
                double part = (rank - below) / (bucket.getValue() - below);
                return (lower + (bucket.getKey() - lower) * part) * MICRO;
            }
            below = bucket.getValue();
            lower = bucket.getKey().isInfinite() ? lower : bucket.getKey();
        }
        return lower * MICRO;
    }

    private static double limit(String le) {
        return le.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(le);
    }
}
