package dev.trainyard.scaler.provider;

import java.util.ArrayList;
import java.util.List;

/**
 * What a cloud says of a pool. Complete: a machine that is not listed does not exist. A provider that could read only a part throws
 * instead.
 *
 * @param target how many machines the cloud has been asked to keep, those not made yet included
 * @param failures what went wrong with recent requests, in any order; the same failure may be told again with the same time
 * @param bounds the sizes that the cloud resource accepts
 * @param warnings what is set in the cloud such that machines may come, go or be refused against what the pool says; sentences for its
 *     administrator, in a fixed order
 */
public record PoolState(
        int target, List<Machine> machines, List<Failure> failures, Bounds bounds, List<String> warnings) {

    public PoolState {
        machines = List.copyOf(machines);
        failures = List.copyOf(failures);
        warnings = List.copyOf(warnings);
    }

    /** Of a cloud resource that accepts any size and gives no cause for warnings. */
    public PoolState(int target, List<Machine> machines, List<Failure> failures) {
        this(target, machines, failures, Bounds.NONE, List.of());
    }

    /** Machines that are there or being made. */
    public int present() {
        return (int) machines.stream().filter(Machine::counts).count();
    }

    /** Machines asked for of which the cloud shows nothing yet. */
    public int unfilled() {
        return Math.max(0, target - present());
    }

    public PoolState withTarget(int changed) {
        return new PoolState(changed, machines, failures, bounds, warnings);
    }

    public PoolState withWarning(String warning) {
        var all = new ArrayList<>(warnings);
        all.add(warning);
        return new PoolState(target, machines, failures, bounds, all);
    }
}
