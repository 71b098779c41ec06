package dev.trainyard.simulation.fault;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.Interference;
import dev.trainyard.simulation.cluster.Replica;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** An injector of random faults into requests. The injector reports the scaler's requests to an observer. Not thread-safe. */
public final class FaultInjector implements Disturbance {

    private static final FailureKind[] REFUSALS = {
        FailureKind.TRANSIENT, FailureKind.THROTTLED, FailureKind.AUTH, FailureKind.QUOTA, FailureKind.CONFLICT,
    };

    private final Set<Fault> faults;
    private final VirtualTime time;
    private final ActivityLog log;
    private final Map<Fault, Chance> chances = new HashMap<>();
    /** The end of each pool's stock-out, in virtual time. */
    private final Map<String, Long> droughts = new HashMap<>();

    /** The slow delivery of pools whose machines are delivered one by one, by pool. */
    private final Map<String, Slowness> slow = new HashMap<>();

    /** The machines whose nodes never join. */
    private final Set<String> withoutNode = new HashSet<>();

    private final List<String> writes = new ArrayList<>();
    private final UnknownSchedulerRules rules;
    private WorldObserver observer = WorldObserver.NONE;
    private boolean over;

    public FaultInjector(Set<Fault> faults, long seed, VirtualTime time, ActivityLog log) {
        this.faults = Set.copyOf(faults);
        this.time = time;
        this.log = log;
        var chance = new Chance(seed);
        for (var fault : Fault.values()) {
            chances.put(fault, chance.of("fault " + fault));
        }
        rules = new UnknownSchedulerRules(of(Fault.UNKNOWN_RULE), time, log);
    }

    /**
     * The slow delivery of machines, one by one.
     *
     * @param pace the time from one machine to the next
     * @param until the end, in nanoseconds of virtual time
     */
    private record Slowness(Duration pace, long until) {}

    /**
     * Sets the observer. The constructor cannot set it, because the observer is created after the cluster, and the cluster after this
     * injector.
     */
    public void observe(WorldObserver newObserver) {
        observer = newObserver;
    }

    /** Stops injecting faults. */
    void end() {
        over = true;
        droughts.clear();
        slow.clear();
        log.note("no more faults are injected");
    }

    boolean has(Fault fault) {
        return !over && faults.contains(fault);
    }

    /** Whether an unknown scheduler rule excludes, or once excluded, pods with this pod's tier and size. */
    public boolean hasRefused(Pod pod) {
        return rules.haveRefused(pod);
    }

    Chance of(Fault fault) {
        return Objects.requireNonNull(chances.get(fault));
    }

    void drought(String pool, Duration length) {
        log.note("cloud: no machines of pool %s are available for %d s".formatted(pool, length.toSeconds()));
        droughts.put(pool, time.nanos() + length.toNanos());
    }

    void slowDown(String pool, Duration pace, Duration length) {
        log.note("a machine of pool %s every %d s, for %d s".formatted(pool, pace.toSeconds(), length.toSeconds()));
        slow.put(pool, new Slowness(pace, time.nanos() + length.toNanos()));
    }

    void clockIsSet(Duration by) {
        observer.clockIsSet(by);
    }

    void sizeIsSet(String pool) {
        observer.sizeIsSet(pool);
    }

    /** Returns the scaler's writes to the cluster and to clouds since the last call of this method, and clears the list. */
    public List<String> takeWrites() {
        var taken = List.copyOf(writes);
        writes.clear();
        return taken;
    }

    private boolean happens(Fault fault, double probability) {
        return has(fault) && of(fault).happens(probability);
    }

    @Override
    public int replicas() {
        return faults.contains(Fault.FREEZE) || faults.contains(Fault.KILL) ? 2 : 1;
    }

    @Override
    public Optional<String> refuses(Pod pod) {
        return has(Fault.UNKNOWN_RULE) && rules.refuse(pod)
                ? Optional.of("node(s) excluded by a rule that Trainyard does not know")
                : Optional.empty();
    }

    @Override
    public boolean neverJoins(String machine) {
        boolean never = happens(Fault.NO_NODE, 0.2);
        if (never) {
            log.note("the node of machine %s never joins".formatted(machine));
            withoutNode.add(machine);
        }
        return never;
    }

    /** Whether the node of that machine never joins. */
    boolean isWithoutNode(String machine) {
        return withoutNode.contains(machine);
    }

    @Override
    public Duration restart() {
        return of(Fault.KILL).between(Duration.ofSeconds(1), Duration.ofSeconds(30));
    }

    @Override
    public Lag lag() {
        return new Lag() {
            @Override
            public Duration next() {
                return happens(Fault.WATCH, 0.2)
                        ? of(Fault.WATCH).between(Duration.ofMillis(5), Duration.ofSeconds(2))
                        : Lag.USUAL.next();
            }

            @Override
            public boolean repeats() {
                return happens(Fault.WATCH, 0.05);
            }
        };
    }

    @Override
    public boolean reclaimsSpotMachines() {
        return !over;
    }

    @Override
    public int stock(Pool pool, int usual) {
        if (over) {
            return Integer.MAX_VALUE;
        }
        return time.nanos() < droughts.getOrDefault(pool.name(), 0L) ? 0 : usual;
    }

    @Override
    public Duration pace(Pool pool) {
        return Optional.ofNullable(slow.get(pool.name()))
                .filter(slowness -> time.nanos() < slowness.until())
                .map(Slowness::pace)
                .orElse(Duration.ZERO);
    }

    @Override
    public void grows(Pool pool, int from, int to) {
        log.note("cloud: pool %s grows from %d to %d".formatted(pool.name(), from, to));
        writes.add("grow " + pool.name());
        observer.grows(pool, from, to);
    }

    @Override
    public void fails(Pool pool) {
        log.note("cloud: no machines are available in pool " + pool.name());
        observer.fails(pool);
    }

    @Override
    public void withdraws(Pool pool, int from, int to) {
        log.note("cloud: pool %s withdraws requests; its target falls from %d to %d".formatted(pool.name(), from, to));
        writes.add("withdraw " + pool.name());
    }

    @Override
    public void terminates(Pool pool, String machine) {
        log.note("cloud: machine %s is terminated".formatted(machine));
        writes.add("terminate " + machine);
        observer.terminates(pool, machine);
    }

    @Override
    public void ended(Round.Result round) {
        observer.ended(round);
    }

    @Override
    public void failed(RuntimeException problem) {
        log.note("a round or one of its steps fails: " + problem);
        observer.failed(problem);
    }

    @Override
    public Interference interference(Replica replica) {
        log.note(replica.identity() + " leads");
        observer.leads();
        return new Requests(replica);
    }

    private final class Requests implements Interference {
        private final Replica replica;

        private Requests(Replica replica) {
            this.replica = replica;
        }

        @Override
        public void beforeRequest(String request) {
            if (!request.startsWith("pods on")) {
                writes.add(request);
            }
            anyTime(request);
            if (happens(Fault.API, 0.03)) {
                log.note("api: %s is refused".formatted(request));
                throw new ApiException(
                        ApiException.UNAVAILABLE, "the server is currently unable to handle the request");
            }
            if (happens(Fault.API, 0.02)) {
                slow(Fault.API, request);
            }
        }

        @Override
        public void afterRequest(String request) {
            log.note("%s: %s".formatted(replica.identity(), request));
            anyTime(request);
            if (happens(Fault.API, 0.02)) {
                log.note("api: the scaler receives no answer to " + request);
                throw new ApiException(ApiException.UNAVAILABLE, "connection reset");
            }
        }

        @Override
        public void evicts(PodOnNode pod) {
            observer.evicts(pod);
        }

        @Override
        public void deletes(String node) {
            observer.deletes(node);
        }

        @Override
        public Duration absence() {
            return happens(Fault.CLOUD, 0.02)
                    ? of(Fault.CLOUD).between(Duration.ofMillis(100), Duration.ofSeconds(40))
                    : Duration.ZERO;
        }

        @Override
        public void beforeCall(String call) throws ProviderException {
            anyTime(call);
            if (!call.startsWith("read") && happens(Fault.FREEZE, 0.03)) {
                standStill(call);
            }
            if (happens(Fault.CLOUD, 0.02)) {
                slow(Fault.CLOUD, call);
            }
            if (happens(Fault.CLOUD, 0.06)) {
                var kind = REFUSALS[of(Fault.CLOUD).number(REFUSALS.length)];
                log.note("cloud: %s is refused: %s".formatted(call, kind));
                throw new ProviderException(kind, "the fault injector refused this call at random");
            }
        }

        @Override
        public void afterCall(String call) throws ProviderException {
            anyTime(call);
            if (happens(Fault.CLOUD, 0.04)) {
                log.note("cloud: the scaler receives no answer to " + call);
                throw new ProviderException(FailureKind.TRANSIENT, "connection reset");
            }
        }

        private void anyTime(String what) {
            if (happens(Fault.KILL, 0.004)) {
                log.note("%s dies during the call: %s".formatted(replica.identity(), what));
                throw new Killed();
            }
            if (happens(Fault.FREEZE, 0.003)) {
                standStill(what);
            }
        }

        private void standStill(String what) {
            var length = of(Fault.FREEZE).between(Duration.ofSeconds(1), Duration.ofMinutes(1));
            log.note("%s freezes for %d s during the call: %s".formatted(replica.identity(), length.toSeconds(), what));
            replica.freeze(length);
        }

        private void slow(Fault fault, String what) {
            var length = of(fault).between(Duration.ofMillis(100), Duration.ofSeconds(10));
            log.note("%d ms pass before the call: %s".formatted(length.toMillis(), what));
            time.passTo(time.nanos() + length.toNanos());
        }
    }
}
