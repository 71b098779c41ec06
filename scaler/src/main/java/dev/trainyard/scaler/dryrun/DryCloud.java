package dev.trainyard.scaler.dryrun;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A read-only view of a cloud. It accepts every request, but does not pass requests on to the cloud. */
public record DryCloud(CloudProvider real) implements CloudProvider {

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        return real.read(pool);
    }

    @Override
    public void grow(Pool pool, int from, int to) {}

    @Override
    public void withdraw(Pool pool, int from, int to) {}

    @Override
    public void terminate(Pool pool, List<Machine> machines) {}

    @Override
    public Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        return real.size(where, name);
    }

    @Override
    public Optional<Integer> spotScore(Pool pool) throws ProviderException {
        return real.spotScore(pool);
    }

    @Override
    public CallLimits limits() {
        return real.limits();
    }

    @Override
    public Duration attention() {
        return real.attention();
    }
}
