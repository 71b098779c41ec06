package dev.trainyard.scaler.leadership;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.NotSent;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A cloud provider that sends no request for a change if another scaler may lead by now.
 *
 * @param leads returns whether this process still leads; see {@link LeaseValidity#lasts}
 */
public record FencedCloud(CloudProvider real, BooleanSupplier leads) implements CloudProvider {

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        return real.read(pool);
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        check();
        real.grow(pool, from, to);
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        check();
        real.withdraw(pool, from, to);
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        check();
        real.terminate(pool, machines);
    }

    @Override
    public PoolState tend(Pool pool, PoolState state) {
        return leads.getAsBoolean() ? real.tend(pool, state) : state;
    }

    @Override
    public Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        return real.size(where, name);
    }

    @Override
    public Optional<Integer> spotScore(Pool pool) throws ProviderException {
        return real.spotScore(pool);
    }

    @Override
    public List<CloudRight> rights(Pool pool) throws ProviderException {
        return real.rights(pool);
    }

    @Override
    public CallLimits limits() {
        return real.limits();
    }

    @Override
    public int terminationsPerRequest() {
        return real.terminationsPerRequest();
    }

    @Override
    public Duration attention() {
        return real.attention();
    }

    private void check() throws NotSent {
        if (!leads.getAsBoolean()) {
            throw new NotSent(FencedCluster.NOT_LEADING);
        }
    }
}
