package dev.trainyard.scaler.plan;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a round decides about sizes.
 *
 * @param growths at most one for each pool
 * @param outcomes by pod uid: one for every pod that waits
 * @param reserved nodes whose room is meant for waiting pods: they stay
 */
public record Plan(
        List<Growth> growths, List<Withdrawal> withdrawals, Map<String, Outcome> outcomes, Set<String> reserved) {

    public Plan {
        growths = List.copyOf(growths);
        withdrawals = List.copyOf(withdrawals);
        outcomes = Collections.unmodifiableMap(outcomes);
        reserved = Set.copyOf(reserved);
    }
}
