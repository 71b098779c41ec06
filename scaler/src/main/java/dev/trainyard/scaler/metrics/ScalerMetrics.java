package dev.trainyard.scaler.metrics;

import dev.trainyard.scaler.calls.CallMeter;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The scaler's meters. Names are documented in {@code docs/reference.md}. */
public final class ScalerMetrics implements CallMeter {

    /**
     * Histogram buckets for pending times. The shortest buckets are for pods that get a free node. The longest are for pods that wait for a
     * machine with a slow driver.
     */
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

    /** Histogram buckets for the time of a round: a few nodes at the short end, thousands of nodes and slow clouds at the long one. */
    private static final Duration[] ROUND_BUCKETS = {
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(2),
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30)
    };

    private static final List<String> NOTICE_RESULTS = List.of("written", "failed");

    private final MeterRegistry registry;
    private final Series nodes;
    private final Series targets;
    private final Series upcoming;
    private final Series backOffs;
    private final Series readable;
    private final Series failing;
    private final Series waiting;
    private final Series waitingAge;
    private final Series costs;
    private final Series clamped;
    private final Series broken;
    private final Series reclaimRates;
    private final Series lostShares;
    private final Series readableQueues;
    private final AtomicInteger notCompleted = new AtomicInteger();
    private final Timer planning;
    private final Timer rounds;
    private final Counter evictions;
    private final Counter evictionsRefused;
    private final Counter removed;
    private final Counter failedRounds;

    /** Pools whose counters are registered. */
    private Set<String> counted = Set.of();

    /** Whether each queue of notices can be read: 1 or 0. */
    private final Map<List<String>, Integer> queues = new HashMap<>();

    public ScalerMetrics(MeterRegistry registry) {
        this.registry = registry;
        nodes = new Series("trainyard.scaler.nodes", "Nodes by pool and state", "pool", "state");
        targets = new Series(
                "trainyard.scaler.pool.target",
                "Requested number of machines, including existing ones; absent while the pool cannot be read",
                "pool");
        upcoming = new Series(
                "trainyard.scaler.pool.upcoming",
                "Requested machines that have no node yet; status.upcoming also counts machines whose nodes are not usable yet",
                "pool");
        backOffs =
                new Series("trainyard.scaler.pool.backoff", "1 while a pool backs off after a failure, else 0", "pool");
        readable = new Series(
                "trainyard.scaler.pool.readable", "1 while the state of the pool can be read, else 0", "pool");
        failing = new Series(
                "trainyard.scaler.pool.failing",
                "1 from a failure until the pool delivers again, by the kind of the last failure",
                "pool",
                "kind");
        waiting = new Series(
                "trainyard.scaler.waiting.pods", "Pending pods, by their outcome in the last plan", "outcome");
        waitingAge = new Series(
                "trainyard.scaler.waiting.age.seconds",
                "Time that the oldest pending pod has been pending, by outcome",
                "outcome");
        costs = new Series(
                "trainyard.scaler.pool.cost.per.hour",
                "Cost per hour of the existing machines, in the currency of the pools' prices",
                "pool");
        clamped = new Series(
                "trainyard.scaler.pool.clamped", "Machines that pending pods need beyond the pool's maximum", "pool");
        broken = new Series(
                "trainyard.scaler.pool.broken",
                "Machines that broke in the last 24 hours, by size and zone",
                "pool",
                "size",
                "zone");
        reclaimRates = new Series(
                "trainyard.scaler.pool.reclaims.per.machine.day",
                "Recent reclaims of machines, for each machine and day; a reclaim counts half after one day",
                "pool");
        lostShares = new Series(
                "trainyard.scaler.pool.lost.share",
                "Expected time that is lost for each hour of a machine, by reclaims and by launches that fail, in hours",
                "pool");
        readableQueues = new Series(
                "trainyard.scaler.notice.queue.readable",
                "1 while the messages of a queue of notices can be received and deleted, else 0",
                "queue");
        Gauge.builder("trainyard.scaler.not.completed.pods", notCompleted, AtomicInteger::get)
                .description("Pods that were admitted without the webhook, and have not ended")
                .register(registry);
        planning = Timer.builder("trainyard.scaler.plan")
                .description("Time to make one plan")
                .register(registry);
        rounds = Timer.builder("trainyard.scaler.round")
                .description("Time of one round, in which the scaler reads the cluster, plans and acts")
                .serviceLevelObjectives(ROUND_BUCKETS)
                .register(registry);
        // The counters are registered at the start. If a series began only with its first failure, Prometheus would not
        // see this increase.
        failedRounds = registry.counter("trainyard.scaler.rounds.failed");
        evictions = counter("asked");
        evictionsRefused = counter("refused");
        removed = Counter.builder("trainyard.scaler.nodes.removed")
                .description("Deleted nodes whose machines were terminated or missing")
                .register(registry);
    }

    private Counter counter(String result) {
        return Counter.builder("trainyard.scaler.evictions")
                .description("Requested evictions, by the API server's answer")
                .tags("result", result)
                .register(registry);
    }

    /**
     * Counts an eviction.
     *
     * @param allowed whether disruption budgets allowed the eviction
     */
    public void evicted(boolean allowed) {
        (allowed ? evictions : evictionsRefused).increment();
    }

    public void removedNode() {
        removed.increment();
    }

    public void backedOff(String pool, FailureKind kind) {
        backOffs(pool, kind).increment();
    }

    /** Counts machines of a pool that broke. */
    public void broke(String pool, int machines) {
        breakdowns(pool).increment(machines);
    }

    private Counter breakdowns(String pool) {
        return Counter.builder("trainyard.scaler.sick.machines")
                .description("Machines that broke: an agent reported them, or they lost GPUs")
                .tags("pool", pool)
                .register(registry);
    }

    /**
     * Counts a pod that is evicted because the cloud reclaims, or has reclaimed, its machine or that of another member of its gang. A pod
     * that did not run lost nothing.
     */
    public void reclaimed(NodeView node, PodOnNode pod, Instant now) {
        if (pod.started()) {
            reclaims(pool(node)).increment();
            reclaimedTime(pool(node)).increment((double) pod.gpuSeconds(now));
        }
    }

    private Counter reclaims(String pool) {
        return Counter.builder("trainyard.scaler.reclaimed.pods")
                .description(
                        "Running pods that were evicted because the cloud reclaimed their machines, or the machine of a member of their gang")
                .tags("pool", pool)
                .register(registry);
    }

    private Counter reclaimedTime(String pool) {
        return Counter.builder("trainyard.scaler.reclaimed.gpu.seconds")
                .description(
                        "Time since these pods got their nodes, for each of their GPUs; lost unless they saved their state")
                .tags("pool", pool)
                .register(registry);
    }

    private Counter backOffs(String pool, FailureKind kind) {
        return Counter.builder("trainyard.scaler.backoffs")
                .description("Back-offs of a pool after failures")
                .tags("pool", pool, "kind", kind.toString())
                .register(registry);
    }

    /** Records whether the messages of a queue of notices were received and deleted. */
    public synchronized void readNotices(String queue, boolean readable) {
        NOTICE_RESULTS.forEach(result -> notices(queue, result));
        queues.put(List.of(queue), readable ? 1 : 0);
        readableQueues.show(queues);
    }

    /** Removes the meters of a queue of notices that is no longer read. */
    public synchronized void forgetNotices(String queue) {
        NOTICE_RESULTS.forEach(result -> registry.remove(notices(queue, result)));
        queues.remove(List.of(queue));
        readableQueues.show(queues);
    }

    /**
     * Counts a notice of a queue.
     *
     * @param written whether the notice was written on its node; otherwise the API server refused the change
     */
    public void noticed(String queue, boolean written) {
        notices(queue, NOTICE_RESULTS.get(written ? 0 : 1)).increment();
    }

    private Counter notices(String queue, String result) {
        return Counter.builder("trainyard.scaler.notices")
                .description("Notices of a queue, by whether they were written on their nodes")
                .tags("queue", queue, "result", result)
                .register(registry);
    }

    /** Registers the counters of a pool unless they are registered, and returns them. */
    private List<Counter> counters(String pool) {
        var counters = new ArrayList<>(List.of(reclaims(pool), reclaimedTime(pool), breakdowns(pool)));
        for (var kind : FailureKind.values()) {
            counters.add(backOffs(pool, kind));
        }
        return counters;
    }

    /**
     * Registers the counters of each pool before they first increase, so that Prometheus sees the first increase. Removes the counters of
     * deleted pools.
     */
    private void countFor(Set<String> pools) {
        if (pools.equals(counted)) {
            return;
        }
        pools.forEach(this::counters);
        counted.stream()
                .filter(pool -> !pools.contains(pool))
                .forEach(pool -> counters(pool).forEach(registry::remove));
        counted = Set.copyOf(pools);
    }

    /**
     * Records that a pod runs after it was pending.
     *
     * @param pending the time from the pod's creation until the pod ran
     */
    public void ran(String pool, Duration pending) {
        Timer.builder("trainyard.scaler.pod.pending")
                .description("Time from the creation of a pending pod until it ran")
                .tags("pool", pool)
                .serviceLevelObjectives(PENDING_BUCKETS)
                .register(registry)
                .record(pending);
    }

    public Plan timePlan(Snapshot snapshot, Function<Snapshot, Plan> planner) {
        var started = Timer.start(registry);
        var plan = planner.apply(snapshot);
        started.stop(planning);
        return plan;
    }

    public Timer rounds() {
        return rounds;
    }

    @Override
    public void called(String provider, String operation, String result, Duration took) {
        Counter.builder("trainyard.scaler.provider.calls")
                .tags("provider", provider, "operation", operation, "result", result)
                .register(registry)
                .increment();
        Timer.builder("trainyard.scaler.provider.call")
                .description("Time of one call to a cloud; each retry counts as a call")
                .tags("provider", provider, "operation", operation)
                .register(registry)
                .record(took);
    }

    @Override
    public void waited(String provider, String operation, Duration wait) {
        Timer.builder("trainyard.scaler.provider.budget.wait")
                .description("Time that calls waited because of the rate limit of the cloud's API")
                .tags("provider", provider, "operation", operation)
                .register(registry)
                .record(wait);
    }

    /** Counts a round that failed as a whole, or in which a step failed because of a bug in the scaler. */
    public void failedRound() {
        failedRounds.increment();
    }

    /**
     * Sets the number of pods that the webhook has not completed.
     *
     * @param pods the number of pods that were admitted without the webhook
     */
    public void notCompleted(int pods) {
        notCompleted.set(pods);
    }

    public void observed(Snapshot snapshot, Plan plan, List<Verdict> verdicts) {
        nodes.show(verdicts.stream()
                .collect(Collectors.groupingBy(
                        verdict -> List.of(pool(verdict.node()), verdict.state().toString()), Collectors.counting())));
        waiting.show(plan.outcomes().values().stream()
                .collect(Collectors.groupingBy(outcome -> List.of(outcome.word()), Collectors.counting())));
        waitingAge.show(longestWaits(snapshot, plan));
        countFor(snapshot.pools().keySet());
        var read = new HashMap<List<String>, Number>();
        var failed = new HashMap<List<String>, Number>();
        var target = new HashMap<List<String>, Number>();
        var coming = new HashMap<List<String>, Number>();
        var backing = new HashMap<List<String>, Number>();
        var cost = new HashMap<List<String>, Number>();
        var beyond = new HashMap<List<String>, Number>();
        var broke = new HashMap<List<String>, Number>();
        var reclaimRate = new HashMap<List<String>, Number>();
        var lostShare = new HashMap<List<String>, Number>();
        snapshot.pools().forEach((name, pool) -> {
            var of = List.of(name);
            beyond.put(of, 0);
            pool.ledger()
                    .nodes()
                    .recentBreakdowns(snapshot.now())
                    .forEach(
                            (place, machines) -> broke.put(List.of(name, place.get(0), place.get(1)), machines.size()));
            reclaimRate.put(of, pool.ledger().reliability().reclaimsPerMachineDay(snapshot.now()));
            lostShare.put(of, pool.lostShare(snapshot.now()));
            read.put(of, pool.state().isPresent() ? 1 : 0);
            pool.ledger()
                    .backOff()
                    .ifPresent(last -> failed.put(List.of(name, last.kind().toString()), 1));
            pool.state().ifPresent(state -> {
                pool.pool().hourlyPrice().ifPresent(price -> cost.put(of, price.doubleValue() * state.present()));
                target.put(of, state.target());
                coming.put(of, pool.upcoming(snapshot.now()));
            });
            backing.put(of, pool.backsOff(snapshot.now()) ? 1 : 0);
        });
        plan.growths()
                .forEach(growth -> beyond.put(List.of(growth.pool().name()), growth.wanted() - growth.machines()));
        readable.show(read);
        failing.show(failed);
        costs.show(cost);
        broken.show(broke);
        reclaimRates.show(reclaimRate);
        lostShares.show(lostShare);
        clamped.show(beyond);
        targets.show(target);
        upcoming.show(coming);
        backOffs.show(backing);
    }

    private static Map<List<String>, Long> longestWaits(Snapshot snapshot, Plan plan) {
        var longest = new HashMap<List<String>, Long>();
        for (var pod : snapshot.waiting()) {
            var outcome = plan.outcomes().get(pod.uid());
            if (outcome != null) {
                long seconds = Duration.between(pod.since(), snapshot.now()).toSeconds();
                longest.merge(List.of(outcome.word()), Math.max(0, seconds), Math::max);
            }
        }
        return longest;
    }

    private static String pool(NodeView node) {
        return node.pool().map(pool -> pool.name()).orElse("");
    }

    /**
     * A gauge with a value for each list of tag values. Updates the registry only if a value has changed, since an update is slower than a
     * comparison.
     */
    private final class Series {
        private final MultiGauge gauge;
        private final List<String> tags;
        private Map<List<String>, Number> shown = Map.of();

        private Series(String name, String description, String... tags) {
            this.gauge = MultiGauge.builder(name).description(description).register(registry);
            this.tags = List.of(tags);
        }

        private void show(Map<List<String>, ? extends Number> values) {
            if (values.equals(shown)) {
                return;
            }
            shown = Map.copyOf(values);
            var rows = new ArrayList<Row<?>>();
            shown.forEach((of, value) -> {
                var named = Tags.empty();
                for (int i = 0; i < tags.size(); i++) {
                    named = named.and(tags.get(i), of.get(i));
                }
                rows.add(Row.of(named, value));
            });
            gauge.register(rows, true);
        }
    }
}
