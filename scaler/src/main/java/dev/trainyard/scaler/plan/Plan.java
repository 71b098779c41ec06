package dev.trainyard.scaler.plan;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a round decides about sizes.
 *
 * @param growths at most one for each pool
 * @param outcomes by pod uid: one for every pod that waits
 * @param reserved nodes whose room is meant for waiting pods: they stay
 * @param mismatches machines that do not help the pods that they joined for: to be remembered, and planned again, before anything is requested
 */
public record Plan(
        List<Growth> growths,
        List<Withdrawal> withdrawals,
        Map<String, Outcome> outcomes,
        Set<String> reserved,
        List<Mismatch> mismatches) {

    /** A plan of machines that help. */
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

    /** Returns the plan without the growth of pools whose machines do not help: there are more mismatches than a round remembers. */
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
