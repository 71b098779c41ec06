package dev.trainyard.cloud.azure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The times until which Azure wants no requests of a kind. Azure counts refused requests too, so further requests prolong the wait.
 * Thread-safe.
 */
final class Throttle {

    /** The longest accepted wait. Azure has asked for 20 minutes; a much longer wait is taken for a mistake. */
    static final Duration LONGEST = Duration.ofMinutes(30);

    /** The wait if a 429 does not state one. Azure's rate limits refill every minute. */
    static final Duration UNSAID = Duration.ofSeconds(15);

    private final Map<String, Instant> until = new ConcurrentHashMap<>();
    private final Clock clock;

    Throttle(Clock clock) {
        this.clock = clock;
    }

    /**
     * Records a refused request.
     *
     * @param kind the kind of requests, which share a rate limit
     * @return how long no request of this kind is made
     */
    Duration refused(String kind, Optional<Duration> retryAfter) {
        var asked = retryAfter.orElse(UNSAID);
        var wait = asked.compareTo(LONGEST) > 0 ? LONGEST : asked;
        var now = clock.instant();
        // A shorter wait does not replace a longer one.
        var end = until.merge(
                kind, now.plus(wait), (known, told) -> known.isAfter(told) && isAhead(known, now) ? known : told);
        return Duration.between(now, end);
    }

    /** @throws ArmException while Azure wants no requests of this kind */
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
                ArmError.of(429, "TooManyRequests", "Azure throttles requests of this kind until %s".formatted(end)),
                Duration.between(now, end));
    }

    /**
     * Whether a wait is still running. An end that is further ahead than the longest wait is ignored: the clock was set back after the end
     * was recorded.
     */
    private static boolean isAhead(Instant end, Instant now) {
        return now.isBefore(end) && !end.isAfter(now.plus(LONGEST));
    }
}
