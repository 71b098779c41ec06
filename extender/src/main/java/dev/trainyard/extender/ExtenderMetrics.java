package dev.trainyard.extender;

import dev.trainyard.extender.filter.FilterRefusal;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.IndexFeed;
import dev.trainyard.extender.node.NodeIndex;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Metrics of the extender, besides the calls and latencies that its server counts. Thread-safe. */
final class ExtenderMetrics {

    private record Call(Timer latency, DistributionSummary nodes) {}

    private static final Duration[] BUCKETS = {
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(50),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(2), // the scheduler's timeout, httpTimeout in the manifests
    };

    private final MeterRegistry registry;
    private final Map<String, Call> calls = new ConcurrentHashMap<>();
    private final Map<FilterRefusal, Counter> refusals = new EnumMap<>(FilterRefusal.class);
    private final Counter leftWithoutNode;

    ExtenderMetrics(MeterRegistry registry, IndexFeed feed) {
        this.registry = registry;
        for (var refusal : FilterRefusal.values()) {
            refusals.put(
                    refusal,
                    Counter.builder("trainyard.extender.refusals")
                            .description("Refused nodes; a node counts once for each call that refuses it")
                            .tag("reason", refusal.reason())
                            .register(registry));
        }
        leftWithoutNode = Counter.builder("trainyard.extender.unplaced")
                .description("Filter calls that left a pod without a node")
                .register(registry);
        Gauge.builder("trainyard.extender.index.nodes", feed.index(), NodeIndex::size)
                .description("Nodes in the extender's index")
                .register(registry);
        Gauge.builder(
                        "trainyard.extender.index.age.seconds",
                        feed,
                        source -> source.age().toMillis() / 1000.0)
                .baseUnit("seconds")
                .description("Time for which changes of nodes or pods may have been missed; 0 while both are watched")
                .register(registry);
    }

    void answered(String verb, int nodes, long nanos) {
        var call = calls.computeIfAbsent(verb, this::call);
        call.nodes().record(nodes);
        call.latency().record(nanos, TimeUnit.NANOSECONDS);
    }

    void filtered(Verdicts verdicts) {
        verdicts.counts().forEach(this::refused);
        if (verdicts.leaveNone()) {
            leftWithoutNode.increment();
        }
    }

    private void refused(FilterRefusal refusal, int count) {
        var counter = refusals.get(refusal);
        if (counter != null) {
            counter.increment(count);
        }
    }

    private Call call(String verb) {
        return new Call(
                Timer.builder("trainyard.extender.calls")
                        .description("Time to answer a call of the scheduler, without the transfer of call and answer")
                        .tag("verb", verb)
                        .serviceLevelObjectives(BUCKETS)
                        .register(registry),
                DistributionSummary.builder("trainyard.extender.call.nodes")
                        .description("Number of nodes in a call")
                        .tag("verb", verb)
                        .register(registry));
    }
}
