package dev.trainyard.bench.scheduler;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Durations of the requests to one path of a Trainyard server, from its metrics.
 *
 * @param count number of requests
 * @param seconds total time of all requests
 * @param upTo number of requests that took at most a limit, by limit in seconds; the last limit is infinite
 */
record CallTimes(long count, double seconds, Map<Double, Long> upTo) {

    private static final Pattern LINE =
            Pattern.compile("(?m)^trainyard_http_requests_seconds_(bucket|sum|count)\\{([^}]*)\\} (\\S+)$");
    private static final Pattern LIMIT = Pattern.compile("(?:^|,)le=\"([^\"]*)\"");
    private static final double MICRO = 1e6;

    CallTimes {
        upTo = new TreeMap<>(upTo);
    }

    /**
     * @param metrics in Prometheus' text format
     * @param path such as {@code /filter}; only requests that were answered with status 200 are included
     */
    static CallTimes of(String metrics, String path) {
        long count = 0;
        double seconds = 0;
        var upTo = new TreeMap<Double, Long>();
        var lines = LINE.matcher(metrics);
        while (lines.find()) {
            var labels = lines.group(2);
            if (!labels.contains("path=\"" + path + "\"") || !labels.contains("status=\"200\"")) {
                continue;
            }
            double value = Double.parseDouble(lines.group(3));
            switch (lines.group(1)) {
                case "sum" -> seconds = value;
                case "count" -> count = (long) value;
                default -> upTo.put(limit(labels), (long) value);
            }
        }
        return new CallTimes(count, seconds, upTo);
    }

    /** Returns the durations of the requests since {@code before}. */
    CallTimes since(CallTimes before) {
        var difference = new TreeMap<Double, Long>();
        upTo.forEach((limit, number) -> difference.put(limit, number - before.upTo.getOrDefault(limit, 0L)));
        return new CallTimes(count - before.count, seconds - before.seconds, difference);
    }

    /** Returns the mean duration in microseconds. */
    double mean() {
        return count == 0 ? 0 : seconds / count * MICRO;
    }

    /**
     * Returns a quantile in microseconds, estimated like Prometheus' {@code histogram_quantile}. Requests are assumed to be distributed
     * evenly within a bucket, so narrow buckets give a good estimate. A quantile beyond the last finite limit is that limit.
     */
    double quantile(double share) {
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

    private static double limit(String labels) {
        var limit = LIMIT.matcher(labels);
        if (!limit.find()) {
            throw new IllegalArgumentException("a histogram bucket has no label le; its labels are: " + labels);
        }
        return limit.group(1).equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(limit.group(1));
    }
}
