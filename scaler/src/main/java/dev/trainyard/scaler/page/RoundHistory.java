package dev.trainyard.scaler.page;

import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.CostEstimate;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The history of pools, pending pods and costs since the start of this process, limited by {@link Track}. A deleted pool is dropped, so
 * that the number of existing pools limits the memory. Immutable.
 *
 * @param holds how long values count as current after a reading
 * @param readAt the time of the last reading; null before the first
 */
record RoundHistory(
        Map<String, Track<RoundHistory.Size>> pools,
        Track<RoundHistory.Total> totals,
        Duration holds,
        @Nullable Instant readAt) {

    /** The machines of a pool: requested, usable, and provisioning; null if unknown. */
    record Size(
            @Nullable Integer target,
            @Nullable Integer ready,
            @Nullable Integer upcoming) {
        static final Size UNKNOWN = new Size(null, null, null);
    }

    /** @param costPerHour the cost of all pools that have a price; null if one of the pools cannot be read */
    record Total(
            @Nullable Integer waiting,
            @Nullable Integer ready,
            @Nullable BigDecimal costPerHour) {
        static final Total UNKNOWN = new Total(null, null, null);
    }

    RoundHistory {
        pools = Map.copyOf(pools);
    }

    /** @param holds how long values count as current after a reading; longer than the resolution of a {@link Track} */
    static RoundHistory none(Duration holds) {
        return new RoundHistory(Map.of(), Track.empty(), holds, null);
    }

    /** Adds the current state. */
    RoundHistory with(Instant now, ClusterStatus standing) {
        return until(now).and(now, standing);
    }

    /**
     * Returns the history up to now. If the last reading is too old, the values become unknown at the time when it stopped counting as
     * current.
     */
    RoundHistory until(Instant now) {
        if (readAt == null || !now.isAfter(readAt.plus(holds))) {
            return this;
        }
        var since = readAt.plus(holds);
        var sizes = new TreeMap<String, Track<Size>>();
        pools.forEach((name, track) -> sizes.put(name, track.with(since, Size.UNKNOWN)));
        return new RoundHistory(sizes, totals.with(since, Total.UNKNOWN), holds, readAt);
    }

    private RoundHistory and(Instant now, ClusterStatus standing) {
        var sizes = new TreeMap<String, Track<Size>>();
        for (var pool : standing.pools()) {
            var before = Optional.ofNullable(pools.get(pool.name())).orElse(Track.empty());
            sizes.put(pool.name(), before.with(now, new Size(pool.target(), pool.ready(), pool.upcoming())));
        }
        var total = new Total(
                standing.waiting().size(),
                standing.pools().stream().mapToInt(PoolLine::ready).sum(),
                standing.pools().stream().allMatch(pool -> pool.problem() == null)
                        ? CostEstimate.of(standing).perHour()
                        : null);
        return new RoundHistory(sizes, totals.with(now, total), holds, now);
    }
}
