package dev.trainyard.core.pool;

import dev.trainyard.core.Durations;
import dev.trainyard.core.api.TrainingPoolSpec.SickSpec;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the replacement of a pool's broken machines.
 *
 * @param keepFor how long an emptied machine is kept, so that somebody can examine it
 * @param atMost how many machines may be replaced or kept at a time: a number of machines, or a percentage of the pool
 * @param percent whether {@code atMost} is a percentage
 */
public record SickMachines(Duration keepFor, int atMost, boolean percent) {

    /** The default of {@code keepFor}: an emptied machine is terminated at once. */
    private static final String TERMINATED_AT_ONCE = "0s";

    /** The default of {@code atMost}. It bounds the damage of an agent that reports machines as broken by mistake. */
    private static final String A_TENTH = "10%";

    /**
     * Checks {@code spec} and fills in its defaults.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the field, the value and what was expected
     */
    static SickMachines of(@Nullable SickSpec spec) {
        var keepFor = spec == null || spec.keepFor() == null ? TERMINATED_AT_ONCE : spec.keepFor();
        var atMost = spec == null || spec.atMost() == null ? A_TENTH : spec.atMost();
        if (!atMost.matches(SickSpec.AT_MOST)) {
            throw new IllegalArgumentException(
                    "spec.scaleDown.sick.atMost: '%s' is neither a number of machines such as 2 nor a percentage such as 10%%"
                            .formatted(atMost));
        }
        boolean percent = atMost.endsWith("%");
        int number = Integer.parseInt(percent ? atMost.substring(0, atMost.length() - 1) : atMost);
        return new SickMachines(
                Pool.field("spec.scaleDown.sick.keepFor", () -> Durations.parse(keepFor)), number, percent);
    }

    /** Returns how many machines of a pool with this many machines may be replaced or kept at a time; at least one. */
    public int limit(int machines) {
        return percent ? Math.max(1, (machines * atMost + 99) / 100) : atMost;
    }
}
