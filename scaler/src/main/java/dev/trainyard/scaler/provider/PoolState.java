package dev.trainyard.scaler.provider;

import java.util.ArrayList;
import java.util.List;

/**
 * The state of a pool in its cloud. The state is complete: a machine that is not listed does not exist. If a provider could read only a
 * part of the state, it throws an exception instead.
 *
 * @param target how many machines the cloud has been asked to keep, including machines that are not created yet
 * @param failures recent failures of requests, in any order; later readings may repeat a failure with the same time
 * @param bounds the sizes that the cloud resource accepts
 * @param warnings sentences for the pool's administrator, in a fixed order. Each is about a setting in the cloud that may add, remove or
 *     refuse machines contrary to the pool's spec
 */
public record PoolState(
        int target, List<Machine> machines, List<Failure> failures, Bounds bounds, List<String> warnings) {

    public PoolState {
        machines = List.copyOf(machines);
        failures = List.copyOf(failures);
        warnings = List.copyOf(warnings);
    }

    /** Creates the state of a cloud resource that accepts any size and has no warnings. */
    public PoolState(int target, List<Machine> machines, List<Failure> failures) {
        this(target, machines, failures, Bounds.NONE, List.of());
    }

    /** Returns how many machines exist or are being created. */
    public int present() {
        return (int) machines.stream().filter(Machine::counts).count();
    }

    /** Returns how many requested machines the cloud does not list yet. */
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
