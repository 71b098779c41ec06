package dev.trainyard.scaler;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.LostAnswer;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** An in-memory cloud. Its machines run some time after their request, and tests can make its calls fail. */
public final class FakeCloud implements CloudProvider {

    public final List<String> calls = new ArrayList<>();
    /** The failure of each read of a pool, by pool. {@link #refusing} has the failure of each growth. */
    public final Map<String, FailureKind> unreadable = new HashMap<>();

    public final Map<String, FailureKind> refusing = new HashMap<>();
    /** Pools whose growth gets no answer, and is not carried out yet. */
    public final Set<String> unanswered = new HashSet<>();
    /** The most machines that a pool can have; requests for more are accepted and fail a second later. */
    public final Map<String, Integer> capacity = new HashMap<>();

    /** Pools whose stock-outs the cloud never reports. */
    public final Set<String> silent = new HashSet<>();

    /** The machine sizes that the cloud knows, by name. */
    public final Map<String, MachineSize> sizes = new HashMap<>();

    /** The ratings of pools by the cloud. */
    public final Map<String, Integer> spotScores = new HashMap<>();

    /** The interval of reads while a pool is changing. */
    public Duration attention = Duration.ofSeconds(1);

    private final Clock clock;
    private final Duration boot;
    private final Map<String, Integer> targets = new HashMap<>();
    private final Map<String, TreeMap<String, Instant>> machines = new HashMap<>();
    private final Map<String, List<Failure>> failures = new HashMap<>();
    private final Set<String> everMade = new HashSet<>();
    /** Runs before and after each change, so that a test can interrupt a round of the scaler there. */
    private Runnable interruption = () -> {};

    public FakeCloud(Clock clock, Duration boot) {
        this.clock = clock;
        this.boot = boot;
    }

    public void interruptWith(Runnable step) {
        interruption = step;
    }

    public int everMade() {
        return everMade.size();
    }

    public int target(String pool) {
        return targets.getOrDefault(pool, 0);
    }

    public Map<String, Instant> machines(String pool) {
        return machines.computeIfAbsent(pool, name -> new TreeMap<>());
    }

    public boolean running(String pool, String machine) {
        return !clock.instant().isBefore(machines(pool).get(machine).plus(boot));
    }

    @Override
    public Optional<MachineSize> size(ProviderSpec where, String name) {
        calls.add("size " + name);
        return Optional.ofNullable(sizes.get(name));
    }

    @Override
    public Optional<Integer> spotScore(Pool pool) {
        return Optional.ofNullable(spotScores.get(pool.name()));
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        if (unreadable.containsKey(pool.name())) {
            throw new ProviderException(unreadable.get(pool.name()), "cannot tell");
        }
        var listed = machines(pool.name()).entrySet().stream()
                .map(entry -> SnapshotFixture.machine(
                        pool.name(),
                        entry.getKey(),
                        running(pool.name(), entry.getKey()) ? Machine.State.RUNNING : Machine.State.CREATING,
                        entry.getValue()))
                .toList();
        var told = failures.getOrDefault(pool.name(), List.of()).stream()
                .filter(failure -> !failure.at().isAfter(clock.instant()))
                .toList();
        return new PoolState(target(pool.name()), listed, told);
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        interruption.run();
        if (refusing.containsKey(pool.name())) {
            throw new ProviderException(refusing.get(pool.name()), "no");
        }
        if (unanswered.contains(pool.name())) {
            var first = new ProviderException(FailureKind.TRANSIENT, "no answer");
            throw new LostAnswer(first, new ProviderException(FailureKind.THROTTLED, "too many calls"));
        }
        calls.add("grow %s %d->%d".formatted(pool.name(), from, to));
        if (target(pool.name()) != to) {
            expect(pool, from);
            targets.put(pool.name(), to);
            int limit = capacity.getOrDefault(pool.name(), Integer.MAX_VALUE);
            int missing = 0;
            for (int i = from; i < to; i++) {
                if (machines(pool.name()).size() < limit) {
                    var name = "%s-%04d".formatted(pool.name(), everMade.size() + 1);
                    everMade.add(name);
                    machines(pool.name()).put(name, clock.instant());
                } else {
                    missing++;
                }
            }
            if (missing > 0 && !silent.contains(pool.name())) {
                failures.computeIfAbsent(pool.name(), name -> new ArrayList<>())
                        .add(new Failure(
                                FailureKind.SPOT_CAPACITY,
                                "no spot machines left",
                                clock.instant().plusSeconds(1)));
            }
        }
        interruption.run();
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        interruption.run();
        calls.add("withdraw %s %d->%d".formatted(pool.name(), from, to));
        if (target(pool.name()) != to) {
            expect(pool, from);
            targets.put(pool.name(), to);
        }
        interruption.run();
    }

    @Override
    public void terminate(Pool pool, List<Machine> doomed) {
        interruption.run();
        calls.add("terminate %s %s"
                .formatted(pool.name(), doomed.stream().map(Machine::id).toList()));
        for (var machine : doomed) {
            if (machines(pool.name()).remove(machine.id()) != null) {
                targets.merge(pool.name(), -1, Integer::sum);
            }
        }
        interruption.run();
    }

    @Override
    public Duration attention() {
        return attention;
    }

    private void expect(Pool pool, int from) throws ProviderException {
        if (target(pool.name()) != from) {
            throw new ProviderException(
                    FailureKind.CONFLICT, "the target is %d, not %d".formatted(target(pool.name()), from));
        }
    }
}
