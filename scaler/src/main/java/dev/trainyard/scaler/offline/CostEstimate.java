package dev.trainyard.scaler.offline;

import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The known cost of machines, and the pools that are missing from the sum.
 *
 * @param perHour the cost of all pools that have a price and can be read, in the currency of the prices
 * @param withoutPrice pools that have machines and no price, sorted by name
 * @param machinesWithoutPrice how many machines the pools without a price have, including provisioning ones
 * @param unknown pools that cannot be read, sorted by name
 */
public record CostEstimate(
        BigDecimal perHour, List<String> withoutPrice, int machinesWithoutPrice, List<String> unknown) {

    public CostEstimate {
        withoutPrice = List.copyOf(withoutPrice);
        unknown = List.copyOf(unknown);
    }

    /** Returns the current cost of all pools. */
    public static CostEstimate of(ClusterStatus standing) {
        var nodes =
                standing.machines().stream().collect(Collectors.groupingBy(MachineLine::pool, Collectors.counting()));
        var withoutPrice = standing.pools().stream()
                .filter(pool -> pool.costPerHour() == null && pool.problem() == null && machines(pool, nodes) > 0)
                .toList();
        return new CostEstimate(
                standing.pools().stream()
                        .map(PoolLine::costPerHour)
                        .filter(Objects::nonNull)
                        .map(BigDecimal::new)
                        .reduce(BigDecimal.ZERO, BigDecimal::add),
                withoutPrice.stream().map(PoolLine::name).toList(),
                withoutPrice.stream().mapToInt(pool -> machines(pool, nodes)).sum(),
                standing.pools().stream()
                        .filter(pool -> pool.problem() != null)
                        .map(PoolLine::name)
                        .toList());
    }

    /**
     * Estimates the number of machines of a pool: the number of its nodes, or the number of its ready and provisioning machines, whichever
     * is greater. The first number includes machines that are being removed. The second number includes provisioning machines without a
     * node.
     */
    private static int machines(PoolLine pool, Map<String, Long> nodes) {
        return Math.max(nodes.getOrDefault(pool.name(), 0L).intValue(), pool.ready() + orZero(pool.upcoming()));
    }

    private static int orZero(@Nullable Integer number) {
        return number == null ? 0 : number;
    }
}
