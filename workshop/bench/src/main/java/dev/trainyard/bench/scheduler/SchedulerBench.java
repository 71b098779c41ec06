package dev.trainyard.bench.scheduler;

import dev.trainyard.bench.measure.MachineDescription;
import dev.trainyard.bench.measure.MetricHistogram;
import dev.trainyard.bench.process.BenchException;
import dev.trainyard.bench.process.BenchProcesses;
import dev.trainyard.bench.process.ServerCommand;
import dev.trainyard.local.process.SupervisedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A benchmark of how fast a real kube-scheduler places pods with and without a {@link MeasuredProfile}, alternately on the same control
 * plane. All pods exist before the scheduler starts, so their creation is not measured. All traffic is on loopback. Not thread-safe.
 */
public final class SchedulerBench implements AutoCloseable {

    /** The ServiceAccount of the pods in which the scheduler and the extender run. */
    private static final String SERVICE_ACCOUNT = "trainyard-scheduler";

    private static final String PRIORITIZE = "/prioritize";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int SHOWN_LINES = 15;
    private static final double SECONDS = 1e-9;

    private final SchedulerBenchOptions options;
    private final Consumer<String> progress;
    private final SchedulerConfigurations configurations;
    private final BenchProcesses site = new BenchProcesses();
    private @Nullable SchedulerCluster cluster;
    private int processes;

    /** @param progress receives progress messages, one line each */
    public SchedulerBench(SchedulerBenchOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
        this.configurations =
                new SchedulerConfigurations(options.schedulerConfiguration(), options.pluginsConfiguration());
    }

    /**
     * Runs all measurements that the options select.
     *
     * @throws dev.trainyard.local.binaries.BinariesUnavailableException if the binaries of the control plane are unavailable
     * @throws dev.trainyard.local.ControlPlaneException if a control plane process or a scheduler does not start
     * @throws BenchException if the extender does not start, pods stay without a node, or the scheduler does not call the extender for all
     *     pods
     */
    public SchedulerReport run() {
        var running = SchedulerCluster.start(options.manifests(), options.nodes(), progress);
        cluster = running;
        var comparisons = new ArrayList<SchedulerComparison>();
        comparisons.add(compare(running, ApiRate.UNLIMITED, options.pods(), options.rounds()));
        if (options.podsAtUsualRate() > 0) {
            comparisons.add(compare(running, ApiRate.USUAL, options.podsAtUsualRate(), 1));
        }
        return new SchedulerReport(
                options.profile(),
                MachineDescription.inWords(),
                running.controlPlane().version().full(),
                ServerCommand.options(options.jvm()),
                options.nodes(),
                comparisons);
    }

    /** Measures pairs of trials with and without the measured profile. Each side goes first in turn, so that any drift affects both alike. */
    private SchedulerComparison compare(SchedulerCluster on, ApiRate rate, int pods, int rounds) {
        var pairs = new ArrayList<Pair>();
        for (int round = 0; round < rounds; round++) {
            var label = "%,d pods at %,d calls/s, round %d of %d".formatted(pods, rate.qps(), round + 1, rounds);
            if (round % 2 == 0) {
                var without = without(on, rate, pods, label);
                pairs.add(new Pair(with(on, rate, pods, label), without));
            } else {
                var with = with(on, rate, pods, label);
                pairs.add(new Pair(with, without(on, rate, pods, label)));
            }
        }
        return new SchedulerComparison(rate, pods, pairs);
    }

    /** Runs a trial while no extender runs, because the extender's watches of pods and nodes are part of the extender's cost. */
    private SchedulerTrial without(SchedulerCluster on, ApiRate rate, int pods, String label) {
        return alone(on, configurations::without, rate, pods, label, "without");
    }

    private SchedulerTrial with(SchedulerCluster on, ApiRate rate, int pods, String label) {
        return switch (options.profile()) {
            case EXTENDER -> withExtender(on, rate, pods, label);
            case PLUGINS -> alone(on, configurations::plugins, rate, pods, label, "with");
        };
    }

    private SchedulerTrial alone(
            SchedulerCluster on,
            Function<ApiRate, String> configuration,
            ApiRate rate,
            int pods,
            String label,
            String side) {
        trial(on, configuration.apply(ApiRate.UNLIMITED), null, options.warmUpPods());
        var trial = trial(on, configuration.apply(rate), null, pods);
        tell(label, side, trial);
        return trial;
    }

    private SchedulerTrial withExtender(SchedulerCluster on, ApiRate rate, int pods, String label) {
        var rights = on.rightsOf(SERVICE_ACCOUNT);
        try (var extender = ExtenderProcess.start(options, site, rights, "extender-" + ++processes)) {
            var tls = extender.schedulerTls();
            trial(on, configurations.with(ApiRate.UNLIMITED, extender.port(), tls), extender, options.warmUpPods());
            var trial = trial(on, configurations.with(rate, extender.port(), tls), extender, pods);
            tell(label, "with", trial);
            return trial;
        }
    }

    private void tell(String label, String side, SchedulerTrial trial) {
        progress.accept(
                "%s: %s %s %.0f pods/s".formatted(label, side, options.profile().side(), trial.podsPerSecond()));
    }

    /** Creates pods, lets a new scheduler place them, stops the scheduler, and deletes the pods. */
    private SchedulerTrial trial(
            SchedulerCluster on, String configuration, @Nullable ExtenderProcess extender, int pods) {
        on.makePods(pods);
        var name = "scheduler-" + ++processes;
        var controlPlane = on.controlPlane();
        try (var bindings = new Bindings(on.client(), SchedulerCluster.NAMESPACE, pods)) {
            var before = extender == null ? null : asked(extender);
            var cpuBefore = CpuClock.read(controlPlane, null, extender);
            long start = System.nanoTime();
            var scheduler = controlPlane.startScheduler(name, SchedulerCluster.userOf(SERVICE_ACCOUNT), configuration);
            try {
                await(bindings, scheduler);
                var cpu = CpuClock.read(controlPlane, name, extender).forEachOf(pods, cpuBefore);
                return new SchedulerTrial(
                        pods,
                        (bindings.last() - bindings.first()) * SECONDS,
                        (bindings.last() - start) * SECONDS,
                        cpu,
                        extender == null || before == null
                                ? null
                                : asked(extender).since(before).ofPods(pods, configurations.leavesOneNode()));
            } finally {
                scheduler.kill();
            }
        } finally {
            on.removePods(pods);
        }
    }

    private static void await(Bindings bindings, SupervisedProcess scheduler) {
        try {
            bindings.await(TIMEOUT);
        } catch (BenchException e) {
            throw new BenchException(
                    "%s; the last lines of the scheduler's log:\n%s"
                            .formatted(
                                    e.getMessage(),
                                    String.join("\n", scheduler.log().lines(SHOWN_LINES))),
                    e);
        }
    }

    private Asked asked(ExtenderProcess extender) {
        return new Asked(extender.calls("/" + configurations.filterVerb()), extender.calls(PRIORITIZE));
    }

    /** The calls that an extender has answered so far. */
    private record Asked(MetricHistogram filter, MetricHistogram prioritize) {

        Asked since(Asked before) {
            return new Asked(filter.since(before.filter), prioritize.since(before.prioritize));
        }

        /**
         * Returns the calls, and fails if the extender missed some. Such a trial is invalid: if the extender fails, the scheduler places
         * pods without it.
         */
        ExtenderCalls ofPods(int pods, boolean oneNode) {
            boolean scored = oneNode || prioritize.count() > 0;
            if (filter.count() < pods || !scored) {
                throw new BenchException("the extender answered %d filter and %d prioritize calls about %d pods"
                        .formatted(filter.count(), prioritize.count(), pods));
            }
            return new ExtenderCalls(Calls.of(filter), Calls.of(prioritize));
        }
    }

    @Override
    public void close() {
        site.close();
        if (cluster != null) {
            cluster.close();
        }
    }
}
