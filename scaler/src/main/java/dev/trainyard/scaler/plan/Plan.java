package dev.trainyard.scaler.plan;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The decisions of a round (one pass of the scaler's loop) on pool sizes.
 *
 * @param growths at most one for each pool
 * @param outcomes one for every pending pod, by pod UID
 * @param reserved names of nodes whose room is reserved for pending pods; such nodes are not removed
 * @param mismatches machines that do not help the pods that they joined for. The round records the mismatches and plans again before it
 *     makes any request
 */
public record Plan(
        List<Growth> growths,
        List<Withdrawal> withdrawals,
        Map<String, Outcome> outcomes,
        Set<String> reserved,
        List<Mismatch> mismatches) {

    /** Creates a plan without mismatches. */
    public Plan(
            List<Growth> growths, List<Withdrawal> withdrawals, Map<String, Outcome> outcomes, Set<String> reserved) {
        this(growths, withdrawals, outcomes, reserved, List.of());
    }

    public Plan {
        mismatches = List.copyOf(mismatches);
        growths = List.copyOf(growths);
        withdrawals = List.copyOf(withdrawals);
        outcomes = Collections.unmodifiableMap(outcomes);
        reserved = Set.copyOf(reserved);
    }

    /**
     * Returns the plan without the growth of pools that have mismatches. Used if a round still finds mismatches after its last attempt to
     * plan.
     */
    public Plan withoutMismatches() {
        if (mismatches.isEmpty()) {
            return this;
        }
        var pools = mismatches.stream().map(Mismatch::pool).collect(Collectors.toSet());
        return new Plan(
                growths.stream()
                        .filter(growth -> !pools.contains(growth.pool().name()))
                        .toList(),
                withdrawals,
                outcomes,
                reserved);
    }
}
