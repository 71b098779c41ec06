package dev.trainyard.emulator.azure;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Azure's rate limits for each kind of request, per resource and per subscription, as token buckets that refill over time. The numbers are
 * from Microsoft's page on throttling of the Compute API. Not thread-safe: after {@link AzureEmulator#enforce}, only that emulator may use
 * the object.
 */
public final class TokenBuckets {

    /** The refill per minute and the size of a bucket, in requests. */
    private record Size(double refill, double burst) {}

    private static final Map<String, Size> RESOURCE = Map.of(
            "get", new Size(12, 36),
            "costly-get", new Size(10, 30),
            "create", new Size(4, 12),
            "update", new Size(4, 12),
            "delete", new Size(4, 12),
            "operation", new Size(15, 45));
    private static final Map<String, Size> SUBSCRIPTION = Map.of(
            "get", new Size(800, 2400),
            "costly-get", new Size(360, 1080),
            "create", new Size(125, 375),
            "update", new Size(500, 1500),
            "delete", new Size(175, 525),
            "operation", new Size(1000, 3000));

    private final Map<String, Bucket> buckets = new HashMap<>();
    private final SortedMap<String, Double> lowest = new TreeMap<>();

    private static final class Bucket {
        private final Size size;
        private double tokens;
        private Instant at;

        Bucket(Size size, Instant at) {
            this.size = size;
            this.tokens = size.burst();
            this.at = at;
        }

        boolean take(Instant now) {
            tokens = Math.min(
                    size.burst(),
                    tokens + size.refill() * Duration.between(at, now).toMillis() / 60_000.0);
            at = now;
            if (tokens < 1) {
                return false;
            }
            tokens -= 1;
            return true;
        }

        double share() {
            return tokens / size.burst();
        }
    }

    /** Returns the lowest level that each kind of bucket has had, as a share of its size, from 0 to 1. */
    public SortedMap<String, Double> lowest() {
        return new TreeMap<>(lowest);
    }

    boolean take(ArmRequest request, Instant now) {
        var kind = Actions.bucket(request);
        boolean taken = true;
        var resource = resource(request);
        if (!resource.isEmpty()) {
            taken = take("resource " + kind, resource + " " + kind, RESOURCE, kind, now);
        }
        return take("subscription " + kind, "subscription " + kind, SUBSCRIPTION, kind, now) && taken;
    }

    private boolean take(String scope, String key, Map<String, Size> sizes, String kind, Instant now) {
        var size = sizes.get(kind);
        if (size == null) {
            throw new IllegalArgumentException("the emulated Azure has no token bucket for " + kind);
        }
        var bucket = buckets.computeIfAbsent(key, k -> new Bucket(size, now));
        boolean taken = bucket.take(now);
        lowest.merge(scope, bucket.share(), Math::min);
        return taken;
    }

    /**
     * Returns the resource that a request is about, such as a scale set or machine; empty for lists of a resource group. All requests about
     * operations share one bucket.
     */
    private static String resource(ArmRequest request) {
        var parts = request.path().split("/", -1);
        return request.path().contains("/operations/") ? "operations" : parts.length > 8 ? parts[8] : "";
    }
}
