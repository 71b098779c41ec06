package dev.trainyard.core.tier;

import dev.trainyard.core.Durations;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.DefaultFor;
import dev.trainyard.core.api.TrainingTierSpec.GpuRange;
import dev.trainyard.core.pool.Pool;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A kind of training, with the pools that may run it, the preferred one first.
 *
 * @param pools the tier's pools that exist; possibly empty if the configuration is invalid
 * @param fallbackAfter how long pods wait for a node of a preferred pool before a machine of the next pool is requested
 * @param resumable whether the training of the tier can resume after an interruption, so that pods may be moved to save a machine; a pod's
 *     annotation overrides this value
 * @param defaultGpus the range of GPU counts for which this tier is a default; empty if the tier is not a default
 */
public record Tier(
        String name,
        List<Pool> pools,
        Duration fallbackAfter,
        Optional<GpuCount> defaultGpus,
        Driver driver,
        boolean resumable) {

    public Tier {
        pools = List.copyOf(pools);
    }

    /** A range of GPU counts, both ends included. */
    public record GpuCount(long min, long max) {
        public boolean contains(long gpus) {
            return gpus >= min && gpus <= max;
        }

        static GpuCount of(GpuRange range) {
            return new GpuCount(
                    range.min() == null ? 1 : range.min(), range.max() == null ? Long.MAX_VALUE : range.max());
        }
    }

    /**
     * Checks {@code spec} and fills in its defaults. Names of pools that {@code pools} lacks are left out.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the field, the value and what was expected
     */
    public static Tier of(String name, TrainingTierSpec spec, Map<String, Pool> pools) {
        if (spec.pools() == null || spec.pools().isEmpty()) {
            throw new IllegalArgumentException("spec.pools: empty, expected the names of one or more TrainingPools");
        }
        if (spec.pools().stream().anyMatch(Objects::isNull)) {
            throw new IllegalArgumentException(
                    "spec.pools: %s has an empty item, expected names".formatted(spec.pools()));
        }
        if (spec.pools().stream().distinct().count() < spec.pools().size()) {
            throw new IllegalArgumentException("spec.pools: %s names a pool twice".formatted(spec.pools()));
        }
        return new Tier(
                name,
                spec.pools().stream().map(pools::get).filter(Objects::nonNull).toList(),
                fallbackAfter(spec),
                Optional.ofNullable(spec.defaultFor()).map(Tier::defaultGpus),
                Optional.ofNullable(spec.driver()).map(Driver::of).orElse(Driver.NONE),
                Boolean.TRUE.equals(spec.resumable()));
    }

    private static GpuCount defaultGpus(DefaultFor rule) {
        if (rule.gpus() == null) {
            throw new IllegalArgumentException("spec.default.gpus: missing, expected a range such as {min: 1, max: 4}");
        }
        return GpuCount.of(rule.gpus());
    }

    private static Duration fallbackAfter(TrainingTierSpec spec) {
        try {
            return Durations.parsePositive(spec.fallbackAfter() == null ? "3m" : spec.fallbackAfter());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("spec.fallbackAfter: " + e.getMessage());
        }
    }
}
