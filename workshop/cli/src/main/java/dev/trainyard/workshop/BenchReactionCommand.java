package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.bench.reaction.ReactionBench;
import dev.trainyard.bench.reaction.ReactionBenchOptions;
import dev.trainyard.bench.reaction.ReactionReportText;
import dev.trainyard.cli.Main;
import dev.trainyard.workshop.cluster.InstalledComponent;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard bench reaction}. */
@Command(
        name = "reaction",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures, on a real control plane, the time from a pod's unschedulable condition to the scaler's call to "
                    + "the cloud, and from the notice of a reclaim to the call and to the eviction. For comparison, also "
                    + "measures a minimal client that calls the cloud at once. Takes about ten minutes."
        })
final class BenchReactionCommand implements Callable<Integer> {

    /** The manifests to apply: those that users install. */
    private static final List<String> MANIFESTS = List.of(
            "base/namespace.yaml",
            "base/crds/trainingpools.yaml",
            "base/crds/trainingtiers.yaml",
            "base/crds/trainingclusters.yaml",
            "base/scaler/rbac.yaml",
            "components/kwok-provider/rbac.yaml");

    @Option(
            names = "--samples",
            paramLabel = "N",
            defaultValue = "200",
            description =
                    "How many pods are measured, one after the other, and how many notices. Default: ${DEFAULT-VALUE}.")
    private int samples = 200;

    @Option(
            names = "--batch-window",
            paramLabel = "DURATION",
            defaultValue = "200ms",
            description =
                    "How long the scaler waits for more pods. Default: ${DEFAULT-VALUE}, the scaler's own default.")
    private Duration batchWindow = Duration.ofMillis(200);

    @Mixin
    private final BenchJvm jvm = new BenchJvm();

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        try (var bench = new ReactionBench(options(), output.progress())) {
            output.print(bench.run(), ReactionReportText::of);
        }
        return 0;
    }

    private ReactionBenchOptions options() {
        try {
            return new ReactionBenchOptions(
                    jvm.command(InstalledComponent.SCALER),
                    List.of(Main.class.getName(), "scaler"),
                    MANIFESTS.stream().map(BenchReactionCommand::manifest).toList(),
                    samples,
                    batchWindow);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private static String manifest(String name) {
        try (InputStream file = Objects.requireNonNull(
                BenchReactionCommand.class.getResourceAsStream("/manifests/" + name),
                "the build packed no manifests")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
