package dev.trainyard.scaler.provider;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A provider that creates the real provider on first use, so that a cloud without pools loads no SDK. Thread-safe. */
public final class LazyProvider implements CloudProvider {

    private final CallLimits limits;
    private final Supplier<? extends CloudProvider> maker;
    private @Nullable CloudProvider made;

    /** @param limits the limits of the real provider, which callers may need before any pool exists */
    public LazyProvider(CallLimits limits, Supplier<? extends CloudProvider> maker) {
        this.limits = limits;
        this.maker = maker;
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        return provider().read(pool);
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        provider().grow(pool, from, to);
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        provider().withdraw(pool, from, to);
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        provider().terminate(pool, machines);
    }

    @Override
    public PoolState tend(Pool pool, PoolState state) {
        return provider().tend(pool, state);
    }

    @Override
    public Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        return provider().size(where, name);
    }

    @Override
    public Optional<Integer> spotScore(Pool pool) throws ProviderException {
        return provider().spotScore(pool);
    }

    @Override
    public List<CloudRight> rights(Pool pool) throws ProviderException {
        return provider().rights(pool);
    }

    @Override
    public CallLimits limits() {
        return limits;
    }

    @Override
    public int terminationsPerRequest() {
        return provider().terminationsPerRequest();
    }

    @Override
    public Duration attention() {
        return provider().attention();
    }

    @Override
    public synchronized void close() {
        if (made != null) {
            made.close();
        }
    }

    private synchronized CloudProvider provider() {
        var provider = made == null ? maker.get() : made;
        made = provider;
        return provider;
    }
}
