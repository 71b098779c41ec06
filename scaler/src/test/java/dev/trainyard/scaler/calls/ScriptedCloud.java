package dev.trainyard.scaler.calls;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A cloud with the answers that the test sets. */
final class ScriptedCloud implements CloudProvider {

    final List<String> calls = new ArrayList<>();
    final Map<String, Integer> targets = new HashMap<>();
    /** The failures of the next calls about a pool, by pool. */
    final Map<String, Deque<ProviderException>> failures = new HashMap<>();

    final Map<String, MachineSize> sizes = new HashMap<>();
    /** The failure of requests for sizes; null if they succeed. */
    Exception sizesFail;

    /** The scores of pools, by pool. */
    final Map<String, Integer> scores = new HashMap<>();

    boolean dies;
    CallLimits limits = CallLimits.USUAL;
    int terminationsPerRequest = Integer.MAX_VALUE;

    void fails(String pool, ProviderException... problems) {
        failures.computeIfAbsent(pool, name -> new ArrayDeque<>()).addAll(List.of(problems));
    }

    @Override
    public Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        if (sizesFail instanceof ProviderException problem) {
            throw problem;
        }
        if (sizesFail instanceof RuntimeException fault) {
            throw fault;
        }
        return Optional.ofNullable(sizes.get(name));
    }

    @Override
    public Optional<Integer> spotScore(Pool pool) throws ProviderException {
        called("score", pool);
        return Optional.ofNullable(scores.get(pool.name()));
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        called("read", pool);
        return new PoolState(targets.getOrDefault(pool.name(), 0), List.of(), List.of());
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        called("grow", pool);
        targets.put(pool.name(), to);
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        called("withdraw", pool);
        targets.put(pool.name(), to);
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        called("terminate", pool);
        targets.merge(pool.name(), -machines.size(), Integer::sum);
    }

    @Override
    public int terminationsPerRequest() {
        return terminationsPerRequest;
    }

    @Override
    public CallLimits limits() {
        return limits;
    }

    @Override
    public Duration attention() {
        return Duration.ofSeconds(1);
    }

    private void called(String operation, Pool pool) throws ProviderException {
        if (dies) {
            throw new AssertionError("on purpose");
        }
        calls.add(operation + " " + pool.name());
        var problem = Optional.ofNullable(failures.get(pool.name())).map(Deque::poll);
        if (problem.isPresent()) {
            throw problem.get();
        }
    }
}
