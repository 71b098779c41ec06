package dev.trainyard.scaler.azure;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Azure's own count of requests: per resource and per subscription, by kind, refilled every minute. The numbers are those of Microsoft's page
 * on throttling of Compute's API.
 */
final class TokenBuckets {

    /** Refill a minute, and the most that it holds. */
    record Size(double refill, double burst) {}

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
    /** The fewest tokens that each kind of bucket ever had, as a share of its size. */
    final Map<String, Double> lowest = new TreeMap<>();

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
    }

    boolean take(FakeArm.Request request, Instant now) {
        var kind = Actions.bucket(request);
        var own = resource(request).isEmpty() ? null : bucket(resource(request) + " " + kind, RESOURCE.get(kind), now);
        var all = bucket("subscription " + kind, SUBSCRIPTION.get(kind), now);
        boolean taken = (own == null || own.take(now)) && all.take(now);
        if (own != null) {
            lowest.merge("resource " + kind, own.tokens / own.size.burst(), Math::min);
        }
        lowest.merge("subscription " + kind, all.tokens / all.size.burst(), Math::min);
        return taken;
    }

    long left(FakeArm.Request request) {
        var bucket = buckets.get(resource(request) + " " + Actions.bucket(request));
        return bucket == null ? 0 : (long) bucket.tokens;
    }

    private Bucket bucket(String key, Size size, Instant now) {
        return buckets.computeIfAbsent(key, k -> new Bucket(size, now));
    }

    /** The scale set or machine that it is about; empty for lists of a resource group. Operations count together. */
    private static String resource(FakeArm.Request request) {
        var parts = request.path().split("/");
        return request.path().contains("/operations/") ? "operations" : parts.length > 8 ? parts[8] : "";
    }
}
