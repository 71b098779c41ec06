package dev.trainyard.scaler.page;

import dev.trainyard.scaler.offline.Cost;
import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Standing.PoolLine;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How pools, waiting pods and costs have been, as far back as {@link Track} remembers and this process has lived. A pool that is not there any
 * more is forgotten, so that the memory that it takes is bounded by the pools that there are. Immutable.
 *
 * @param readAt when things were seen last
 */
record History(
        Map<String, Track<History.Size>> pools,
        Track<History.Total> totals,
        Duration holds,
        @Nullable Instant readAt) {

    /** Of a pool: machines asked for, usable, and on their way; null: not known. */
    record Size(
            @Nullable Integer target,
            @Nullable Integer ready,
            @Nullable Integer upcoming) {
        static final Size UNKNOWN = new Size(null, null, null);
    }

    /** @param costPerHour of all pools that have a price; null while one of all pools cannot be read */
    record Total(
            @Nullable Integer waiting,
            @Nullable Integer ready,
            @Nullable BigDecimal costPerHour) {
        static final Total UNKNOWN = new Total(null, null, null);
    }

    History {
        pools = Map.copyOf(pools);
    }

    /** @param holds for how long after a reading things are taken to be as they were; longer than a {@link Track} tells times apart */
    static History none(Duration holds) {
        return new History(Map.of(), Track.empty(), holds, null);
    }

    /** The same with how things stand now. */
    History with(Instant now, Standing standing) {
        return until(now).and(now, standing);
    }

    /** The same for whoever looks now: when the last reading was too long ago, nothing is known since. */
    History until(Instant now) {
        if (readAt == null || !now.isAfter(readAt.plus(holds))) {
            return this;
        }
        var since = readAt.plus(holds);
        var sizes = new TreeMap<String, Track<Size>>();
        pools.forEach((name, track) -> sizes.put(name, track.with(since, Size.UNKNOWN)));
        return new History(sizes, totals.with(since, Total.UNKNOWN), holds, readAt);
    }

    private History and(Instant now, Standing standing) {
        var sizes = new TreeMap<String, Track<Size>>();
        for (var pool : standing.pools()) {
            var before = Optional.ofNullable(pools.get(pool.name())).orElse(Track.empty());
            sizes.put(pool.name(), before.with(now, new Size(pool.target(), pool.ready(), pool.upcoming())));
        }
        var total = new Total(
                standing.waiting().size(),
                standing.pools().stream().mapToInt(PoolLine::ready).sum(),
                standing.pools().stream().allMatch(pool -> pool.problem() == null)
                        ? Cost.of(standing).perHour()
                        : null);
        return new History(sizes, totals.with(now, total), holds, now);
    }
}
