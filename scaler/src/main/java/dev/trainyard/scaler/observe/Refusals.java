package dev.trainyard.scaler.observe;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * That pods were asked to leave a node and disruption budgets did not let them, so that they are asked less and less often.
 *
 * @param rounds in a row in which that was so
 * @param last when it was so last
 */
public record Refusals(int rounds, Instant last) {

    /** What the API server itself suggests to those that a budget refuses. */
    private static final Duration FIRST = Duration.ofSeconds(10);

    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** When to ask again. */
    public Instant next() {
        var wait = FIRST.multipliedBy(1L << Math.min(Math.max(rounds, 1) - 1, 10));
        return last.plus(wait.compareTo(LONGEST) < 0 ? wait : LONGEST);
    }

    /** After one more. */
    public static Refusals after(Optional<Refusals> before, Instant now) {
        return new Refusals(before.map(Refusals::rounds).orElse(0) + 1, now);
    }

    /** As the annotation holds it: {@code 2, 2026-01-01T10:00:00Z}. */
    @Override
    public String toString() {
        return rounds + ", " + last;
    }

    /** The inverse of {@link #toString}; empty for anything else. */
    public static Optional<Refusals> parse(String text) {
        var parts = text.split(",", 2);
        try {
            return parts.length < 2
                    ? Optional.empty()
                    : Optional.of(new Refusals(Integer.parseInt(parts[0].strip()), Instant.parse(parts[1].strip())));
        } catch (NumberFormatException | DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
