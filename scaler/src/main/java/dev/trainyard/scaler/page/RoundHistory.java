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
 * The history of pools, pending pods and costs since the start of this process. {@link Track} limits the length of the history. A deleted
 * pool is dropped, so the memory depends only on the number of existing pools. Immutable.
 *
 * @param holds how long the values of a round count as current
 * @param readAt the time of the last recorded round; null before the first one
 */
record RoundHistory(
        Map<String, Track<RoundHistory.Size>> pools,
        Track<RoundHistory.Total> totals,
        Duration holds,
        @Nullable Instant readAt) {

    /** The numbers of requested, usable and provisioning machines of a pool; null if unknown. */
    record Size(
            @Nullable Integer target,
            @Nullable Integer ready,
            @Nullable Integer upcoming) {
        static final Size UNKNOWN = new Size(null, null, null);
    }

    /**
     * The sums over all pools; null if unknown.
     *
     * @param waiting the number of pending pods
     * @param ready the number of usable machines
     * @param costPerHour the cost of all pools that have a price; null if any pool cannot be read
     */
    record Total(
            @Nullable Integer waiting,
            @Nullable Integer ready,
            @Nullable BigDecimal costPerHour) {
        static final Total UNKNOWN = new Total(null, null, null);
    }

    RoundHistory {
        pools = Map.copyOf(pools);
    }

    /**
     * Returns an empty history.
     *
     * @param holds how long the values of a round count as current; must be longer than the resolution of a {@link Track}
     */
    static RoundHistory none(Duration holds) {
        return new RoundHistory(Map.of(), Track.empty(), holds, null);
    }

    /** Adds the current state. */
    RoundHistory with(Instant now, ClusterStatus standing) {
        return until(now).and(now, standing);
    }

    /**
     * Returns the history up to now. If the last recorded round is older than {@link #holds}, all values are unknown from the time at which
     * the round reached this age.
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
