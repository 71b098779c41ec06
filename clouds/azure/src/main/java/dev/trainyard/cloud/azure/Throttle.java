package dev.trainyard.cloud.azure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * When Azure asked for no more requests of a kind. Azure counts the requests that it refuses too, so that asking on prolongs the wait.
 * Thread-safe.
 */
final class Throttle {

    /** Azure was seen to ask for 20 minutes; anything much longer is taken for a mistake. */
    static final Duration LONGEST = Duration.ofMinutes(30);

    /** Where a 429 does not say how long: its buckets are refilled every minute. */
    static final Duration UNSAID = Duration.ofSeconds(15);

    private final Map<String, Instant> until = new ConcurrentHashMap<>();
    private final Clock clock;

    Throttle(Clock clock) {
        this.clock = clock;
    }

    /**
     * Records a refused request.
     *
     * @param kind of requests that share a bucket
     * @return how long none of them is made
     */
    Duration refused(String kind, Optional<Duration> retryAfter) {
        var asked = retryAfter.orElse(UNSAID);
        var wait = asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
        var now = clock.instant();
        // One that asks for less does not take back what another asked for.
        var end = until.merge(
                kind, now.plus(wait), (known, told) -> known.isAfter(told) && isAhead(known, now) ? known : told);
        return Duration.between(now, end);
    }

    /** @throws ArmException without a request, for as long as Azure wants none */
    void check(String kind) throws ArmException {
        @Nullable Instant end = until.get(kind);
        if (end == null) {
            return;
        }
        var now = clock.instant();
        if (!isAhead(end, now)) {
            until.remove(kind, end);
            return;
        }
        throw new ArmException(
                ArmError.of(
                        429,
                        "TooManyRequests",
                        "Azure asked for no more requests of this kind until %s".formatted(end)),
                Duration.between(now, end));
    }

    /** One that ends later than any can is of before the clock was set back. */
    private static boolean isAhead(Instant end, Instant now) {
        return now.isBefore(end) && !end.isAfter(now.plus(LONGEST));
    }
}
