package dev.trainyard.core;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as users write them in Kubernetes objects: {@code 90s}, {@code 15m}, {@code 1h30m}, {@code 500ms}. */
public final class Durations {

    /** What a duration must look like; the custom resources' schemas carry it too. */
    public static final String PATTERN = "^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$";

    private static final Pattern SYNTAX = Pattern.compile("(?:(\\d+)h)?(?:(\\d+)m)?(?:(\\d+)s)?(?:(\\d+)ms)?");

    private Durations() {}

    /** @throws IllegalArgumentException when {@code text} is not a duration; the message holds the text and an example */
    public static Duration parse(String text) {
        var match = SYNTAX.matcher(text);
        if (text.isEmpty() || !match.matches()) {
            throw new IllegalArgumentException("'%s' is not a duration such as 90s, 15m or 1h30m".formatted(text));
        }
        try {
            return Duration.ofHours(part(match.group(1)))
                    .plusMinutes(part(match.group(2)))
                    .plusSeconds(part(match.group(3)))
                    .plusMillis(part(match.group(4)));
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("'%s' is too long for a duration".formatted(text));
        }
    }

    /** The inverse of {@link #parse}, to the millisecond: {@code 1h30m}, {@code 45s}, {@code 0s}. */
    public static String format(Duration duration) {
        var text = new StringBuilder();
        append(text, duration.toHours(), "h");
        append(text, duration.toMinutesPart(), "m");
        append(text, duration.toSecondsPart(), "s");
        append(text, duration.toMillisPart(), "ms");
        return text.length() == 0 ? "0s" : text.toString();
    }

    private static long part(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static void append(StringBuilder text, long amount, String unit) {
        if (amount > 0) {
            text.append(amount).append(unit);
        }
    }
}
