package dev.trainyard.scaler.provider;

import java.util.List;

/**
 * What a cloud says of a pool. Complete: a machine that is not listed does not exist. A provider that could read only a part throws
 * instead.
 *
 * @param target how many machines the cloud has been asked to keep, those not made yet included
 * @param failures what went wrong with recent requests, in any order; the same failure may be told again with the same time
 */
public record PoolState(int target, List<Machine> machines, List<Failure> failures) {

    public PoolState {
        machines = List.copyOf(machines);
        failures = List.copyOf(failures);
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
        return new PoolState(changed, machines, failures);
    }
}
