package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.bench.extender.ExtenderBench;
import dev.trainyard.bench.extender.ExtenderBenchOptions;
import dev.trainyard.bench.extender.ExtenderReportText;
import dev.trainyard.cli.Main;
import dev.trainyard.workshop.cluster.InstalledComponent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard bench extender}. */
@Command(
        name = "extender",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures the extender, called over HTTPS as the kube-scheduler calls it, in a cluster of 5,000 nodes.",
            "For comparison, also measures the floor: a minimal extender that only returns names of nodes. With a Go compiler, also",
            "measures a minimal extender in Go. Takes about a quarter of an hour."
        })
final class BenchExtenderCommand implements Callable<Integer> {

    @Option(names = "--quick", description = "1,000 and 5,000 names, one call at a time: about three minutes.")
    private boolean quick;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description = "How long each server is under load in a round. Default: 5; with --quick: 2.")
    private @Nullable Double seconds;

    @Option(
            names = "--names",
            split = ",",
            paramLabel = "N",
            description = "Number of nodes in a call; several numbers are measured one after the other. Default: "
                    + "100,1000,5000; with --quick: 1000,5000.")
    private List<Integer> names = List.of();

    @Option(
            names = "--connections",
            split = ",",
            paramLabel = "N",
            description = "How many connections are kept busy; several numbers are measured one after the other. "
                    + "Default: 1,4; with --quick: 1, like the scheduler.")
    private List<Integer> connections = List.of();

    @Option(
            names = "--all-nodes",
            description =
                    "Call filter and prioritize, as a scheduler with a second extender does. Default: choose alone.")
    private boolean allNodes;

    @Mixin
    private final BenchJvm jvm = new BenchJvm();

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        try (var bench = new ExtenderBench(options(), output.progress())) {
            output.print(bench.run(), ExtenderReportText::of);
        }
        return 0;
    }

    private ExtenderBenchOptions options() {
        var extender = List.of(Main.class.getName(), "extender");
        var options = quick
                ? ExtenderBenchOptions.quick(jvm.command(InstalledComponent.EXTENDER), extender)
                : ExtenderBenchOptions.full(jvm.command(InstalledComponent.EXTENDER), extender);
        try {
            if (allNodes) {
                options = options.withAllNodes();
            }
            if (seconds != null) {
                options = options.withRound(Duration.ofMillis(Math.round(seconds * 1000)));
            }
            options = names.isEmpty() ? options : options.withNames(names);
            return connections.isEmpty() ? options : options.withConnections(connections);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
