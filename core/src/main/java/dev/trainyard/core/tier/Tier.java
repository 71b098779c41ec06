package dev.trainyard.core.tier;

import dev.trainyard.core.Durations;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.CheckpointSpec;
import dev.trainyard.core.api.TrainingTierSpec.DefaultFor;
import dev.trainyard.core.api.TrainingTierSpec.GangStart;
import dev.trainyard.core.api.TrainingTierSpec.GpuRange;
import dev.trainyard.core.api.TrainingTierSpec.JobsSpec;
import dev.trainyard.core.api.TrainingTierSpec.ReturnToSpotSpec;
import dev.trainyard.core.pool.Pool;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A kind of training, with the pools that may run it, the preferred one first.
 *
 * @param pools the tier's pools that exist; possibly empty if the configuration is invalid
 * @param ranks the rank of each pool by its name, 0 = preferred; equally preferred pools have the same rank
 * @param fallbackAfter how long pods wait for a node of a preferred pool before a machine of the next pool is requested
 * @param resumable whether the training of the tier can resume after an interruption, so that pods may be moved to save a machine; a pod's
 *     annotation overrides this value
 * @param defaultGpus the range of GPU counts for which this tier is a default; empty if the tier is not a default
 * @param returnToSpot when pods return from on-demand machines to spot machines; empty if they stay
 * @param gangsLeaveTogether whether the notice on the machine of one member of a gang counts for all members
 * @param gangsStartWhole whether the pods of a gang start only if there is room for all of them
 * @param deadlines whether the deadlines that pods state have an effect
 */
public record Tier(
        String name,
        List<Pool> pools,
        Map<String, Integer> ranks,
        Duration fallbackAfter,
        Optional<GpuCount> defaultGpus,
        Driver driver,
        boolean resumable,
        Checkpoint checkpoint,
        Jobs jobs,
        Optional<ReturnToSpot> returnToSpot,
        boolean gangsLeaveTogether,
        boolean gangsStartWhole,
        boolean deadlines) {

    public Tier {
        pools = List.copyOf(pools);
        ranks = Map.copyOf(ranks);
    }

    /** Returns the rank of a pool of this tier, 0 = preferred; the number of the tier's pools if the tier lacks the pool. */
    public int rank(String pool) {
        return ranks.getOrDefault(pool, pools.size());
    }

    /** Whether the tier has the pool, and prefers another pool as much. */
    public boolean hasEqualOf(String pool) {
        var rank = ranks.get(pool);
        return rank != null && Collections.frequency(ranks.values(), rank) > 1;
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
     * What a training gets to save a checkpoint.
     *
     * @param grace the least termination grace period of the pods, in whole seconds; zero if the tier states none
     * @param annotationsFile whether training containers get a file with the annotations of their pod
     */
    public record Checkpoint(Duration grace, boolean annotationsFile) {

        /** No grace period and no file. */
        public static final Checkpoint NONE = new Checkpoint(Duration.ZERO, false);

        private static final Duration LONGEST_GRACE = Duration.ofHours(24);

        static Checkpoint of(CheckpointSpec spec) {
            return new Checkpoint(
                    spec.grace() == null ? Duration.ZERO : grace(spec.grace()),
                    Boolean.TRUE.equals(spec.annotationsFile()));
        }

        private static Duration grace(String text) {
            try {
                var grace = Durations.parsePositive(text);
                if (grace.compareTo(LONGEST_GRACE) > 0) {
                    throw new IllegalArgumentException(
                            "'%s' is longer than %s".formatted(text, Durations.format(LONGEST_GRACE)));
                }
                return Duration.ofSeconds(grace.plusMillis(999).toSeconds()); // Kubernetes knows only whole seconds
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("spec.checkpoint.grace: " + e.getMessage());
            }
        }
    }

    /**
     * What Jobs get whose pods are of the tier.
     *
     * @param ignoreReclaims whether reclaims and evictions of pods do not count as failures of the Job
     * @param includeManaged whether Jobs that another controller manages get this too
     */
    public record Jobs(boolean ignoreReclaims, boolean includeManaged) {

        /** The settings of a tier that states none. */
        public static final Jobs DEFAULT = new Jobs(true, false);

        static Jobs of(JobsSpec spec) {
            return new Jobs(!Boolean.FALSE.equals(spec.ignoreReclaims()), Boolean.TRUE.equals(spec.includeManaged()));
        }
    }

    /**
     * The rules by which pods return from on-demand machines to spot machines.
     *
     * @param after the least time that a pod runs on its on-demand machine, and the least time since the last failure of the spot pool
     * @param atMost how many pods of the tier return at the same time
     */
    public record ReturnToSpot(Duration after, int atMost) {

        static ReturnToSpot of(ReturnToSpotSpec spec) {
            int atMost = spec.atMost() == null ? 2 : spec.atMost();
            if (atMost < 1) {
                throw new IllegalArgumentException(
                        "spec.returnToSpot.atMost: %d is not a number of pods, expected 1 or more".formatted(atMost));
            }
            return new ReturnToSpot(positive("spec.returnToSpot.after", spec.after(), "30m"), atMost);
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
        var existing =
                spec.pools().stream().map(pools::get).filter(Objects::nonNull).toList();
        return new Tier(
                name,
                existing,
                ranks(spec, existing),
                positive("spec.fallbackAfter", spec.fallbackAfter(), "3m"),
                Optional.ofNullable(spec.defaultFor()).map(Tier::defaultGpus),
                Optional.ofNullable(spec.driver()).map(Driver::of).orElse(Driver.NONE),
                Boolean.TRUE.equals(spec.resumable()),
                Optional.ofNullable(spec.checkpoint()).map(Checkpoint::of).orElse(Checkpoint.NONE),
                Optional.ofNullable(spec.jobs()).map(Jobs::of).orElse(Jobs.DEFAULT),
                Optional.ofNullable(spec.returnToSpot()).map(ReturnToSpot::of),
                Boolean.TRUE.equals(spec.gangsLeaveTogether()),
                spec.gangs() == GangStart.WHOLE,
                Boolean.TRUE.equals(spec.deadlines()));
    }

    /** Returns the rank of each pool by its name, after a check of the groups of equally preferred pools. */
    private static Map<String, Integer> ranks(TrainingTierSpec spec, List<Pool> pools) {
        var first = new HashMap<String, String>();
        for (var group : Optional.ofNullable(spec.equallyPreferred()).orElse(List.of())) {
            // A file may contain values that the API server would reject.
            if (group == null || group.size() < 2 || !areNeighbours(group, spec.pools())) {
                throw new IllegalArgumentException(
                        "spec.equallyPreferred: %s is not a group of two or more pools that follow each other in spec.pools, which is %s"
                                .formatted(group, spec.pools()));
            }
            for (var name : group) {
                if (first.put(name, group.get(0)) != null) {
                    throw new IllegalArgumentException(
                            "spec.equallyPreferred: %s names pool %s twice".formatted(spec.equallyPreferred(), name));
                }
            }
        }
        var ranks = new HashMap<String, Integer>();
        var ofGroups = new HashMap<String, Integer>();
        for (var pool : pools) {
            var group = first.getOrDefault(pool.name(), pool.name());
            ranks.put(pool.name(), ofGroups.computeIfAbsent(group, any -> ofGroups.size()));
        }
        return ranks;
    }

    private static boolean areNeighbours(List<String> group, List<String> pools) {
        var places = group.stream().map(pools::indexOf).collect(Collectors.toCollection(TreeSet::new));
        return places.size() == group.size()
                && places.first() >= 0
                && places.last() - places.first() == places.size() - 1;
    }

    private static GpuCount defaultGpus(DefaultFor rule) {
        if (rule.gpus() == null) {
            throw new IllegalArgumentException("spec.default.gpus: missing, expected a range such as {min: 1, max: 4}");
        }
        return GpuCount.of(rule.gpus());
    }

    private static Duration positive(String field, @Nullable String text, String otherwise) {
        try {
            return Durations.parsePositive(text == null ? otherwise : text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(field + ": " + e.getMessage());
        }
    }
}
