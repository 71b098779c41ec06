package dev.trainyard.scaler.observe;

import dev.trainyard.core.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A record of the evictions that disruption budgets refused on a node. Each further round with refusals doubles the wait before the next
 * try, up to a limit.
 *
 * @param rounds the number of consecutive rounds with refusals
 * @param last the time of the last refusal
 */
public record Refusals(int rounds, Instant last) {

    /** The delay that the API server itself suggests after a refusal. */
    private static final Duration FIRST = Duration.ofSeconds(10);

    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** Returns when to retry. */
    public Instant next() {
        return last.plus(Durations.doubled(FIRST, rounds - 1, LONGEST));
    }

    /** Returns the record after one more round with refusals. */
    public static Refusals after(Optional<Refusals> before, Instant now) {
        return new Refusals(before.map(Refusals::rounds).orElse(0) + 1, now);
    }

    /** Returns the annotation's value: {@code 2, 2026-01-01T10:00:00Z}. */
    @Override
    public String toString() {
        return rounds + ", " + last;
    }

    /** Parses the result of {@link #toString}; returns empty for any other text. */
    public static Optional<Refusals> parse(String text) {
        var parts = text.split(",", 2);
        try {
            return parts.length < 2
                    ? Optional.empty()
                    : PodReading.time(parts[1].strip())
                            .map(last -> new Refusals(Integer.parseInt(parts[0].strip()), last));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
