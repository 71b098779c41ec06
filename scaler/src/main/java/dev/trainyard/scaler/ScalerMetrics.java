package dev.trainyard.scaler;

import dev.trainyard.scaler.calls.CallMeter;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.provider.FailureKind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The scaler's meters. Names are documented in {@code docs/reference.md}. */
final class ScalerMetrics implements CallMeter {

    /** From a free node to a machine with a slow driver. */
    private static final Duration[] PENDING_BUCKETS = {
        Duration.ofSeconds(5),
        Duration.ofSeconds(15),
        Duration.ofSeconds(30),
        Duration.ofMinutes(1),
        Duration.ofMinutes(2),
        Duration.ofMinutes(5),
        Duration.ofMinutes(10),
        Duration.ofMinutes(15),
        Duration.ofMinutes(30),
        Duration.ofHours(1)
    };

    private final MeterRegistry registry;
    private final MultiGauge nodes;
    private final MultiGauge targets;
    private final MultiGauge upcoming;
    private final MultiGauge backOffs;
    private final MultiGauge readable;
    private final MultiGauge failing;
    private final MultiGauge waiting;
    private final MultiGauge waitingAge;
    private final MultiGauge costs;
    private final MultiGauge clamped;
    private final AtomicInteger notCompleted = new AtomicInteger();
    private final Timer planning;
    private final Timer rounds;
    private final Counter evictions;
    private final Counter evictionsRefused;
    private final Counter removed;
    private final Counter failedRounds;

    /** Pools whose back-offs are counted. */
    private Set<String> counted = Set.of();

    ScalerMetrics(MeterRegistry registry) {
        this.registry = registry;
        nodes = MultiGauge.builder("trainyard.scaler.nodes")
                .description("Nodes by pool and state")
                .register(registry);
        targets = MultiGauge.builder("trainyard.scaler.pool.target")
                .description("Machines asked of the cloud; absent while that is not known")
                .register(registry);
        upcoming = MultiGauge.builder("trainyard.scaler.pool.upcoming")
                .description("Machines asked for that have no node yet")
                .register(registry);
        backOffs = MultiGauge.builder("trainyard.scaler.pool.backoff")
                .description("1 while a pool is left alone after a failure")
                .register(registry);
        readable = MultiGauge.builder("trainyard.scaler.pool.readable")
                .description("1 while the cloud can be asked how the pool stands")
                .register(registry);
        failing = MultiGauge.builder("trainyard.scaler.pool.failing")
                .description("1 from a failure until the pool delivers again, by the kind of the last failure")
                .register(registry);
        waiting = MultiGauge.builder("trainyard.scaler.waiting.pods")
                .description("Pods that wait, by what is done about it")
                .register(registry);
        waitingAge = MultiGauge.builder("trainyard.scaler.waiting.age.seconds")
                .description("How long the pod that has waited longest has waited, by what is done about it")
                .register(registry);
        costs = MultiGauge.builder("trainyard.scaler.pool.cost.per.hour")
                .description("What the machines that are there cost in an hour, in the currency of the pools' prices")
                .register(registry);
        clamped = MultiGauge.builder("trainyard.scaler.pool.clamped")
                .description("Machines that waiting pods would have, and that the pool's maximum does not allow")
                .register(registry);
        Gauge.builder("trainyard.scaler.not.completed.pods", notCompleted, AtomicInteger::get)
                .description("Pods that were admitted without the webhook, and have not ended")
                .register(registry);
        planning = Timer.builder("trainyard.scaler.plan")
                .description("Time to make one plan")
                .register(registry);
        rounds = Timer.builder("trainyard.scaler.round")
                .description("Time of one round")
                .register(registry);
        // From the start: of a series that begins with its first failure Prometheus sees no increase.
        failedRounds = registry.counter("trainyard.scaler.rounds.failed");
        evictions = counter("asked");
        evictionsRefused = counter("refused");
        removed = Counter.builder("trainyard.scaler.nodes.removed")
                .description("Nodes whose machines were ordered to go, or were found gone, and that were deleted")
                .register(registry);
    }

    private Counter counter(String result) {
        return Counter.builder("trainyard.scaler.evictions")
                .description("Evictions asked for, by whether the API server allowed them")
                .tags("result", result)
                .register(registry);
    }

    /** @param allowed whether disruption budgets allowed it */
    void evicted(boolean allowed) {
        (allowed ? evictions : evictionsRefused).increment();
    }

    void removedNode() {
        removed.increment();
    }

    void backedOff(String pool, FailureKind kind) {
        backOffs(pool, kind).increment();
    }

    private Counter backOffs(String pool, FailureKind kind) {
        return Counter.builder("trainyard.scaler.backoffs")
                .description("Times that a pool was left alone after a failure")
                .tags("pool", pool, "kind", kind.toString())
                .register(registry);
    }

    /** Each kind from the start, as above; and nothing more of pools that are gone. */
    private void countBackOffsOf(Set<String> pools) {
        for (var kind : FailureKind.values()) {
            pools.forEach(pool -> backOffs(pool, kind));
            counted.stream()
                    .filter(pool -> !pools.contains(pool))
                    .forEach(pool -> registry.remove(backOffs(pool, kind)));
        }
        counted = Set.copyOf(pools);
    }

    /** @param pending from its creation until it ran, of a pod that had to wait for room */
    void ran(String pool, Duration pending) {
        Timer.builder("trainyard.scaler.pod.pending")
                .description("Time from the creation of a pod that had to wait for room until it ran")
                .tags("pool", pool)
                .serviceLevelObjectives(PENDING_BUCKETS)
                .register(registry)
                .record(pending);
    }

    Plan timePlan(Snapshot snapshot, Function<Snapshot, Plan> planner) {
        var started = Timer.start(registry);
        var plan = planner.apply(snapshot);
        started.stop(planning);
        return plan;
    }

    Timer rounds() {
        return rounds;
    }

    @Override
    public void called(String provider, String operation, String result, Duration took) {
        Counter.builder("trainyard.scaler.provider.calls")
                .tags("provider", provider, "operation", operation, "result", result)
                .register(registry)
                .increment();
        Timer.builder("trainyard.scaler.provider.call")
                .description("Time of one call to a cloud, its repetitions counted apart")
                .tags("provider", provider, "operation", operation)
                .register(registry)
                .record(took);
    }

    @Override
    public void waited(String provider, String operation, Duration wait) {
        Timer.builder("trainyard.scaler.provider.budget.wait")
                .description("Time that calls to clouds were put off, since their API allows no more")
                .tags("provider", provider, "operation", operation)
                .register(registry)
                .record(wait);
    }

    void failedRound() {
        failedRounds.increment();
    }

    /** @param pods how many pods there are that were admitted without the webhook */
    void notCompleted(int pods) {
        notCompleted.set(pods);
    }

    void observed(Snapshot snapshot, Plan plan, List<Verdict> verdicts) {
        var byState = verdicts.stream()
                .collect(Collectors.groupingBy(
                        verdict -> Tags.of(
                                "pool",
                                pool(verdict.node()),
                                "state",
                                verdict.state().toString()),
                        Collectors.counting()));
        nodes.register(rows(byState), true);
        var byOutcome = plan.outcomes().values().stream()
                .collect(Collectors.groupingBy(outcome -> Tags.of("outcome", outcome.word()), Collectors.counting()));
        waiting.register(rows(byOutcome), true);
        waitingAge.register(rows(longestWaits(snapshot, plan)), true);
        countBackOffsOf(snapshot.pools().keySet());
        var read = new TreeMap<String, Number>();
        var failed = new ArrayList<Row<?>>();
        var target = new TreeMap<String, Number>();
        var coming = new TreeMap<String, Number>();
        var backing = new TreeMap<String, Number>();
        var cost = new TreeMap<String, Number>();
        var beyond = new TreeMap<String, Number>();
        snapshot.pools().forEach((name, pool) -> {
            beyond.put(name, 0);
            read.put(name, pool.state().isPresent() ? 1 : 0);
            pool.ledger()
                    .backOff()
                    .ifPresent(last -> failed.add(
                            Row.of(Tags.of("pool", name, "kind", last.kind().toString()), 1)));
            pool.state().ifPresent(state -> {
                pool.pool().hourlyPrice().ifPresent(price -> cost.put(name, price.doubleValue() * state.present()));
                target.put(name, state.target());
                coming.put(name, pool.upcoming(snapshot.now()));
            });
            backing.put(name, pool.backsOff(snapshot.now()) ? 1 : 0);
        });
        plan.growths().forEach(growth -> beyond.put(growth.pool().name(), growth.wanted() - growth.machines()));
        readable.register(byPool(read), true);
        failing.register(failed, true);
        costs.register(byPool(cost), true);
        clamped.register(byPool(beyond), true);
        targets.register(byPool(target), true);
        upcoming.register(byPool(coming), true);
        backOffs.register(byPool(backing), true);
    }

    private static Map<Tags, Long> longestWaits(Snapshot snapshot, Plan plan) {
        var longest = new HashMap<Tags, Long>();
        for (var pod : snapshot.waiting()) {
            var outcome = plan.outcomes().get(pod.uid());
            if (outcome != null) {
                long seconds = Duration.between(pod.since(), snapshot.now()).toSeconds();
                longest.merge(Tags.of("outcome", outcome.word()), Math.max(0, seconds), Math::max);
            }
        }
        return longest;
    }

    private static String pool(NodeView node) {
        return node.pool().map(pool -> pool.name()).orElse("");
    }

    private static List<Row<?>> rows(Map<Tags, Long> counts) {
        var rows = new ArrayList<Row<?>>();
        counts.forEach((tags, count) -> rows.add(Row.of(tags, count)));
        return rows;
    }

    private static List<Row<?>> byPool(Map<String, Number> values) {
        var rows = new ArrayList<Row<?>>();
        values.forEach((pool, value) -> rows.add(Row.of(Tags.of("pool", pool), value)));
        return rows;
    }
}
