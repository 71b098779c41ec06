package dev.trainyard.bench.scoring;

import dev.trainyard.bench.process.BenchException;
import dev.trainyard.bench.process.BenchProcesses;
import dev.trainyard.bench.process.QuietLogs;
import dev.trainyard.bench.scoring.trace.Arrivals;
import dev.trainyard.bench.scoring.trace.Trace;
import dev.trainyard.bench.scoring.trace.TraceReader;
import dev.trainyard.extender.score.PolicyName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A benchmark that replays a trace under several scoring policies. The extender's policies are called over HTTPS, as by kube-scheduler;
 * baselines run in this process. All policies get the same orders of arrival. Except for times, results depend only on the trace and the
 * options. All traffic is on loopback.
 */
public final class ScoringBench implements AutoCloseable {

    /** The number of parallel replays. */
    private static final int AT_ONCE = 2;

    private final ScoringOptions options;
    private final Consumer<String> progress;
    private final BenchProcesses site = new BenchProcesses();
    private final QuietLogs hush = new QuietLogs();
    private final ExecutorService replays = Executors.newFixedThreadPool(AT_ONCE, task -> {
        var thread = new Thread(task, "replay");
        thread.setDaemon(true);
        return thread;
    });

    /** @param progress receives progress messages, one line each */
    public ScoringBench(ScoringOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs the benchmark.
     *
     * @throws BenchException if a file is not a trace, or an extender fails
     */
    public ScoringReport run() {
        var read = TraceReader.read(options.nodes(), options.pods());
        var trace = options.wholeGpus() ? read.wholeGpusOnly() : read;
        var profile = SchedulerProfile.parse(options.schedulerConfiguration());
        var orders = IntStream.range(0, options.seeds())
                .mapToObj(i -> Arrivals.of(trace, ScoringOptions.FIRST_SEED + i))
                .toList();
        progress.accept("%s: %d nodes, %d GPUs, %d orders of about %d pods"
                .formatted(
                        trace.name(),
                        trace.nodes().size(),
                        trace.capacityMilli() / 1000,
                        orders.size(),
                        orders.get(0).pods().size()));
        var outcomes = new LinkedHashMap<String, List<ScoringOutcome>>();
        for (var policy : options.policies()) {
            var name = policy.name().toLowerCase(Locale.ROOT);
            outcomes.put(name, timed(name, orders, order -> overHttp(trace, order, policy, profile)));
        }
        int overHttp = outcomes.size();
        for (var baseline : Baseline.values()) {
            var score = baseline.of(trace);
            var ties = baseline.ties(options.ties());
            outcomes.put(
                    baseline.word(),
                    timed(
                            baseline.word(),
                            orders,
                            order -> new Replay(trace, order, ties, options.sampling())
                                    .run(replay -> new LocalPlacer(score, replay.machines(), replay.winner()))));
        }
        return report(trace, orders, outcomes, overHttp);
    }

    @Override
    public void close() {
        replays.shutdownNow();
        site.close();
        hush.close();
    }

    private ScoringOutcome overHttp(Trace trace, Arrivals order, PolicyName policy, SchedulerProfile profile) {
        var directory = site.directory(policy.name().toLowerCase(Locale.ROOT) + "-" + order.seed());
        return new Replay(trace, order, options.ties(), options.sampling())
                .run(replay -> new ExtenderPlacer(
                        InProcessExtender.start(directory, policy), replay.machines(), replay.winner(), profile));
    }

    private interface Run {
        ScoringOutcome of(Arrivals order);
    }

    /** Replays all orders under one policy, and returns the outcomes in the order of {@code orders}. */
    private List<ScoringOutcome> timed(String name, List<Arrivals> orders, Run run) {
        long started = System.nanoTime();
        var running = new ArrayList<Future<ScoringOutcome>>();
        for (var order : orders) {
            Callable<ScoringOutcome> task = () -> run.of(order);
            running.add(replays.submit(task));
        }
        var outcomes = running.stream().map(ScoringBench::result).toList();
        progress.accept("%s: replayed all orders in %.0f s".formatted(name, (System.nanoTime() - started) / 1e9));
        return outcomes;
    }

    private static ScoringOutcome result(Future<ScoringOutcome> running) {
        try {
            return running.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException problem ? problem : new IllegalStateException(e.getCause());
        }
    }

    private ScoringReport report(
            Trace trace, List<Arrivals> orders, Map<String, List<ScoringOutcome>> outcomes, int overHttp) {
        var summaries = new ArrayList<ScoringReport.Policy>();
        var yardstick = outcomes.getOrDefault(Baseline.MOST_ALLOCATED_GPU.word(), List.of());
        outcomes.forEach((name, runs) -> summaries.add(Summary.of(name, summaries.size() < overHttp, runs, yardstick)));
        var targets = new ArrayList<ScoringReport.Target>();
        for (var policy : options.policies()) {
            var name = policy.name().toLowerCase(Locale.ROOT);
            targets.addAll(Summary.targets(
                    name, trace.name(), options.wholeGpus(), outcomes.getOrDefault(name, List.of()), yardstick));
        }
        return new ScoringReport(
                trace.name(),
                Arrivals.digest(trace, orders),
                trace.nodes().size(),
                trace.capacityMilli() / 1000,
                Math.round(orders.stream()
                        .mapToInt(order -> order.pods().size())
                        .average()
                        .orElse(0)),
                options.seeds(),
                options.wholeGpus(),
                options.ties().name().toLowerCase(Locale.ROOT),
                options.sampling().toString(),
                summaries,
                targets);
    }
}
