package dev.trainyard.scaler.page;

import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Standing.PoolLine;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How pools, waiting pods and costs have been, as far back as {@link Track} remembers and this process has lived. A pool that is not there any
 * more is forgotten, so that the memory that it takes is bounded by the pools that there are. Immutable.
 */
record History(Map<String, Track<History.Size>> pools, Track<History.Total> totals) {

    static final History NONE = new History(Map.of(), Track.empty());

    /** Of a pool: machines asked for, usable, and on their way; null: not known. */
    record Size(
            @Nullable Integer target, int ready, @Nullable Integer upcoming) {}

    /** @param costPerHour of all pools that have a price; null while one of all pools cannot be read */
    record Total(int waiting, int ready, @Nullable BigDecimal costPerHour) {}

    History {
        pools = Map.copyOf(pools);
    }

    /** The same with how things stand now. */
    History with(Instant now, Standing standing) {
        var sizes = new TreeMap<String, Track<Size>>();
        for (var pool : standing.pools()) {
            var before = Optional.ofNullable(pools.get(pool.name())).orElse(Track.empty());
            sizes.put(pool.name(), before.with(now, new Size(pool.target(), pool.ready(), pool.upcoming())));
        }
        var total = new Total(
                standing.waiting().size(),
                standing.pools().stream().mapToInt(PoolLine::ready).sum(),
                standing.pools().stream().allMatch(pool -> pool.problem() == null) ? costPerHour(standing) : null);
        return new History(sizes, totals.with(now, total));
    }

    /** What all machines cost whose price is known. */
    static BigDecimal costPerHour(Standing standing) {
        return standing.pools().stream()
                .map(PoolLine::costPerHour)
                .filter(Objects::nonNull)
                .map(BigDecimal::new)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }
}
