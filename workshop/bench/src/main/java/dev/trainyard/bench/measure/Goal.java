package dev.trainyard.bench.measure;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A performance goal of a component, with the measured value.
 *
 * @param value the measured value; null if this run did not measure the goal
 * @param atLeast whether the limit is a minimum; else it is a maximum
 */
public record Goal(String what, @Nullable Double value, double limit, boolean atLeast) {

    /** The head of a table of {@link #line lines}. */
    public static final String HEAD = "%-50s %8s %8s".formatted("target", "measured", "limit");

    @JsonProperty
    public boolean met() {
        return value != null && (atLeast ? value >= limit : value <= limit);
    }

    /** Formats the goal as a line of a table. */
    public String line() {
        return "%-50s %8s %s %s"
                .formatted(
                        what,
                        value == null ? "-" : number(value),
                        (atLeast ? ">= " : "<= ") + "%-5s".formatted(number(limit)),
                        value == null ? "not measured" : met() ? "met" : "MISSED")
                .stripTrailing();
    }

    /** Formats a number with at most two decimal places. */
    public static String number(double value) {
        var text = String.format(Locale.ROOT, "%.2f", value);
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }
}
