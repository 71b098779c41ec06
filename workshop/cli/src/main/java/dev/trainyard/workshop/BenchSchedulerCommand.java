package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.bench.scheduler.MeasuredProfile;
import dev.trainyard.bench.scheduler.SchedulerBench;
import dev.trainyard.bench.scheduler.SchedulerBenchOptions;
import dev.trainyard.bench.scheduler.SchedulerReportText;
import dev.trainyard.cli.Main;
import dev.trainyard.workshop.cluster.InstalledComponent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard bench scheduler}. */
@Command(
        name = "scheduler",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures how many pods per second a real kube-scheduler places on 1,000 simulated nodes, with and without "
                    + "the extender. Takes a quarter of an hour."
        })
final class BenchSchedulerCommand implements Callable<Integer> {

    private static final int NODES = 1000;
    private static final int PODS = 3000;
    private static final int ROUNDS = 3;
    private static final int QUICK_NODES = 200;
    private static final int QUICK_PODS = 600;
    private static final int PODS_AT_USUAL_RATE = 1000;

    /** The manifests to apply: those that users install. */
    private static final List<String> MANIFESTS = List.of(
            "base/namespace.yaml",
            "base/crds/trainingpools.yaml",
            "base/crds/trainingtiers.yaml",
            "base/crds/trainingclusters.yaml",
            "base/scheduler/rbac.yaml",
            "base/extender/rbac.yaml");

    @Option(
            names = "--profile",
            paramLabel = "extender|plugins",
            defaultValue = "extender",
            description = "What is compared with the same scheduler without the extender: the scheduler with the "
                    + "extender, or the profile that has no extender. Default: ${DEFAULT-VALUE}.")
    private MeasuredProfile profile = MeasuredProfile.EXTENDER;

    @Option(names = "--quick", description = "200 nodes, 600 pods, one round: about a minute.")
    private boolean quick;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of nodes, with eight GPUs each. Default: 1000; with --quick: 200.")
    private @Nullable Integer nodes;

    @Option(
            names = "--pods",
            paramLabel = "N",
            description =
                    "How many pods are pending when the scheduler starts; at most three for each node. Default: 3000; with --quick: 600.")
    private @Nullable Integer pods;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How often schedulers with and without the extender take turns. Default: 3; with --quick: 1.")
    private @Nullable Integer rounds;

    @Mixin
    private final BenchJvm jvm = new BenchJvm();

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        try (var bench = new SchedulerBench(options(), output.progress())) {
            output.print(bench.run(), SchedulerReportText::of);
        }
        return 0;
    }

    private SchedulerBenchOptions options() {
        try {
            int waiting = chosen(pods, quick ? QUICK_PODS : PODS);
            return new SchedulerBenchOptions(
                    profile,
                    jvm.command(InstalledComponent.EXTENDER),
                    List.of(Main.class.getName(), "extender"),
                    MANIFESTS.stream().map(BenchSchedulerCommand::manifest).toList(),
                    manifest("base/extender/scheduler-config.yaml"),
                    manifest("components/scheduler-profile-plugins/scheduler-config.yaml"),
                    chosen(nodes, quick ? QUICK_NODES : NODES),
                    waiting,
                    chosen(rounds, quick ? 1 : ROUNDS),
                    quick ? 0 : Math.min(waiting, PODS_AT_USUAL_RATE));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private static int chosen(@Nullable Integer number, int otherwise) {
        return number == null ? otherwise : number;
    }

    private static String manifest(String name) {
        try (InputStream file = Objects.requireNonNull(
                BenchSchedulerCommand.class.getResourceAsStream("/manifests/" + name),
                "the build packed no manifests")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
