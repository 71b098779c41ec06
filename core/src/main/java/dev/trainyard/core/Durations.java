package dev.trainyard.core;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/** Durations as users write them in Kubernetes objects: {@code 90s}, {@code 15m}, {@code 1h30m}, {@code 500ms}; and limits for durations. */
public final class Durations {

    /** The syntax of a duration. The schemas of the custom resources contain the same pattern. */
    public static final String PATTERN = "^([0-9]{1,9}(h|m|s|ms))+$";

    /** The longest accepted duration. Sums with longer durations could overflow. */
    private static final Duration LONGEST = Duration.ofDays(366);

    /**
     * The most characters of an accepted duration. Annotations have up to 256 KiB: messages repeat the text, and the evaluation of the
     * pattern recurses for each part.
     */
    private static final int MAX_LENGTH = 64;

    /** The number of characters of a long text that a message repeats. */
    private static final int SHOWN = 20;

    /** More doublings of a year could overflow. */
    private static final int MOST_DOUBLINGS = 20;

    private static final Pattern SYNTAX = Pattern.compile(PATTERN);
    private static final Pattern PART = Pattern.compile("([0-9]{1,9})(h|ms|m|s)");

    private Durations() {}

    /**
     * Parses a duration.
     *
     * @throws IllegalArgumentException if {@code text} is not a duration of at most 366 days, or is longer than 64 characters; the message
     *     holds the text (truncated to 20 characters if it is too long) and an example
     */
    public static Duration parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "'%s...' (%d characters) is longer than %d characters; durations look like 90s, 15m or 1h30m"
                            .formatted(text.substring(0, SHOWN), text.length(), MAX_LENGTH));
        }
        if (!SYNTAX.matcher(text).matches()) {
            throw new IllegalArgumentException("'%s' is not a duration such as 90s, 15m or 1h30m".formatted(text));
        }
        var sum = Duration.ZERO;
        var parts = PART.matcher(text);
        while (parts.find()) {
            sum = sum.plus(Duration.of(Long.parseLong(parts.group(1)), unit(parts.group(2))));
        }
        if (sum.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "'%s' is longer than 366 days; durations look like 90s, 15m or 1h30m".formatted(text));
        }
        return sum;
    }

    /** Parses a duration like {@link #parse}, and rejects zero. */
    public static Duration parsePositive(String text) {
        var duration = parse(text);
        if (duration.isZero()) {
            throw new IllegalArgumentException(
                    "'%s' is not greater than 0s; durations look like 90s, 15m or 1h30m".formatted(text));
        }
        return duration;
    }

    /** Formats a duration in the syntax of {@link #parse}, with millisecond precision: {@code 1h30m}, {@code 45s}, {@code 0s}. */
    public static String format(Duration duration) {
        var text = new StringBuilder();
        append(text, duration.toHours(), "h");
        append(text, duration.toMinutesPart(), "m");
        append(text, duration.toSecondsPart(), "s");
        append(text, duration.toMillisPart(), "ms");
        return text.length() == 0 ? "0s" : text.toString();
    }

    /** Returns {@code first}, doubled this many times, but not more than {@code longest}: a wait after failures in a row. */
    public static Duration doubled(Duration first, int times, Duration longest) {
        return min(first.multipliedBy(1L << Math.min(Math.max(times, 0), MOST_DOUBLINGS)), longest);
    }

    /** Returns the shorter duration. */
    public static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Returns the longer duration. */
    public static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static ChronoUnit unit(String suffix) {
        return switch (suffix) {
            case "h" -> ChronoUnit.HOURS;
            case "m" -> ChronoUnit.MINUTES;
            case "s" -> ChronoUnit.SECONDS;
            default -> ChronoUnit.MILLIS;
        };
    }

    private static void append(StringBuilder text, long amount, String unit) {
        if (amount > 0) {
            text.append(amount).append(unit);
        }
    }
}
