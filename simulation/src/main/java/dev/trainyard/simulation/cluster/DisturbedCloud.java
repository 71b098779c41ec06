package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A cloud whose calls may fail. */
record DisturbedCloud(CloudProvider cloud, Interference interference) implements CloudProvider {

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        interference.beforeCall("read " + pool.name());
        var state = cloud.read(pool);
        interference.afterCall("read " + pool.name());
        return state;
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        var call = "grow %s from %d to %d".formatted(pool.name(), from, to);
        interference.beforeCall(call);
        cloud.grow(pool, from, to);
        interference.afterCall(call);
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        var call = "withdraw %s from %d to %d".formatted(pool.name(), from, to);
        interference.beforeCall(call);
        cloud.withdraw(pool, from, to);
        interference.afterCall(call);
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        var call = "terminate %s %s"
                .formatted(pool.name(), machines.stream().map(Machine::id).toList());
        interference.beforeCall(call);
        cloud.terminate(pool, machines);
        interference.afterCall(call);
    }

    @Override
    public Optional<Integer> spotScore(Pool pool) throws ProviderException {
        return cloud.spotScore(pool);
    }

    @Override
    public CallLimits limits() {
        return cloud.limits();
    }

    @Override
    public int terminationsPerRequest() {
        return cloud.terminationsPerRequest();
    }

    @Override
    public Duration attention() {
        return cloud.attention();
    }
}
