package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.bench.scale.ScaleBench;
import dev.trainyard.bench.scale.ScaleBenchOptions;
import dev.trainyard.bench.scale.ScaleReportText;
import dev.trainyard.bench.scale.ScaleSubject;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import dev.trainyard.workshop.cluster.TestClusterOptions;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard bench scale}. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs webhook, extender and scaler in a large simulated cluster in which pods and nodes come and go, and "
                    + "measures whether their memory grows, how far their watches are behind, the scaler's rounds, and "
                    + "requests to the API server. Takes three quarters of an hour."
        })
final class BenchScaleCommand implements Callable<Integer> {

    private static final int NODES = 5000;
    private static final int PODS = 20_000;
    private static final double MINUTES = 30;
    private static final int QUICK_NODES = 100;
    private static final int QUICK_PODS = 400;
    private static final double QUICK_MINUTES = 1.5;
    private static final int MILLIS_PER_MINUTE = 60_000;

    /** The scaler's own default. */
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(10);

    /** By default, three of four full collections leave some dead objects in place, and class histograms count these. */
    private static final List<String> COMPACT_ALWAYS = List.of("-XX:MarkSweepAlwaysCompactCount=1");

    @Option(names = "--quick", description = "100 nodes, 400 pods in one and a half minutes: about three minutes.")
    private boolean quick;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Largest number of nodes, with eight GPUs each. A tenth of them come and go. "
                    + "Default: 5000; with --quick: 100.")
    private @Nullable Integer nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            description = "How many pods come and go in total. Default: 20000; with --quick: 400.")
    private @Nullable Integer pods;

    @Option(
            names = "--minutes",
            paramLabel = "N",
            description = "Time in which the pods are created, at a steady rate. Default: 30; with --quick: 1.5.")
    private @Nullable Double minutes;

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        var options = options();
        var progress = output.progress();
        var installation =
                TestClusterOptions.defaults().withScanInterval(SCAN_INTERVAL).withJvmOptions(COMPACT_ALWAYS);
        try (var cluster = TestCluster.start(installation, progress::accept)) {
            output.print(new ScaleBench(options, subject(cluster), progress).run(), ScaleReportText::of);
        }
        return 0;
    }

    private static ScaleSubject subject(TestCluster cluster) {
        return new ScaleSubject(
                cluster.controlPlane(),
                cluster.client(),
                Arrays.stream(InstalledComponent.values())
                        .map(part -> new ScaleSubject.Component(
                                part.command(),
                                cluster.process(part).pid(),
                                URI.create(cluster.operationsUrl(part) + "/metrics")))
                        .toList());
    }

    private ScaleBenchOptions options() {
        try {
            return new ScaleBenchOptions(
                    nodes == null ? (quick ? QUICK_NODES : NODES) : nodes,
                    pods == null ? (quick ? QUICK_PODS : PODS) : pods,
                    Duration.ofMillis(Math.round(
                            (minutes == null ? (quick ? QUICK_MINUTES : MINUTES) : minutes) * MILLIS_PER_MINUTE)));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
