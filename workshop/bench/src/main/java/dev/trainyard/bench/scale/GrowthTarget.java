package dev.trainyard.bench.scale;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Goal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A limit for the growth of a component's memory, with the measured growth, in MiB per 1,000 pods.
 *
 * @param value the measured growth; null if there are too few samples
 * @param error standard error of {@code value}; null if there are too few samples
 * @param limit the largest growth, and the largest decrease, that counts as flat
 */
public record GrowthTarget(
        String what, @Nullable Double value, @Nullable Double error, double limit) {

    /** The head of a table of {@link #line lines}. */
    static final String HEAD =
            "%-36s %8s %8s %8s  %s".formatted("growth, MiB per 1,000 pods", "measured", "+-", "limit", "verdict");

    /** Half the width of the range in which the true growth lies with a probability of about 95 %, in standard errors. */
    private static final double ERRORS = 2;

    /** What the samples say about the true growth. */
    public enum Verdict {
        /** The growth is within the limit in both directions. */
        FLAT,
        /** The growth is above the limit. */
        GROWING,
        /** The samples do not decide: the errors are too large, or the memory still shrinks, which can hide a leak. */
        NOT_DECIDED;

        private String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    static GrowthTarget of(String what, @Nullable Trend trend, double limit) {
        return new GrowthTarget(
                what, trend == null ? null : trend.perThousand(), trend == null ? null : trend.error(), limit);
    }

    @JsonProperty
    public Verdict verdict() {
        if (value == null || error == null) {
            return Verdict.NOT_DECIDED;
        }
        double least = value - ERRORS * error;
        double most = value + ERRORS * error;
        if (least > limit) {
            return Verdict.GROWING;
        }
        return least >= -limit && most <= limit ? Verdict.FLAT : Verdict.NOT_DECIDED;
    }

    /** Formats the target as a line of a table. */
    String line() {
        return "%-36s %8s %8s %8s  %s"
                .formatted(
                        what,
                        number(value),
                        number(error),
                        Goal.number(limit),
                        verdict().words());
    }

    private static String number(@Nullable Double value) {
        return value == null ? "-" : Goal.number(value);
    }
}
