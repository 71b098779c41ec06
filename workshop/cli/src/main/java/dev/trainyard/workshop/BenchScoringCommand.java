package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.bench.scoring.Sampling;
import dev.trainyard.bench.scoring.ScoringBench;
import dev.trainyard.bench.scoring.ScoringOptions;
import dev.trainyard.bench.scoring.ScoringReportText;
import dev.trainyard.bench.scoring.Ties;
import dev.trainyard.extender.score.PolicyName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard bench scoring}. */
@Command(
        name = "scoring",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Replays a trace of pods on a cluster, and measures which share of the GPUs each policy allocates. "
                    + "Compares schedulers with the extender's policies, called over HTTPS as kube-scheduler does, and "
                    + "schedulers without the extender. Takes a few minutes for 1,200 nodes."
        })
final class BenchScoringCommand implements Callable<Integer> {

    private static final String SCHEDULER_CONFIGURATION = "/manifests/base/extender/scheduler-config.yaml";

    @Option(
            names = "--nodes",
            required = true,
            paramLabel = "FILE",
            description = "The machines: a CSV file with the columns sn, cpu_milli, memory_mib, gpu, model.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path nodes;

    @Option(
            names = "--pods",
            required = true,
            paramLabel = "FILE",
            description = "The pods: a CSV file with the columns name, cpu_milli, memory_mib, num_gpu, gpu_milli, and "
                    + "optionally gpu_spec: the accepted GPU models, separated by bars.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Path pods;

    @Option(
            names = "--policy",
            paramLabel = "POLICY",
            description =
                    "A policy of the extender: fragmentation, pack or spread; may be repeated. Default: fragmentation.")
    private List<PolicyName> policies = List.of();

    @Option(
            names = "--seeds",
            paramLabel = "N",
            defaultValue = "10",
            description = "Number of arrival orders to replay. Default: 10.")
    private int seeds;

    @Option(names = "--whole-gpus", description = "Leave out the pods that share a GPU.")
    private boolean wholeGpus;

    @Option(
            names = "--percentage-of-nodes",
            paramLabel = "PERCENT",
            defaultValue = "100",
            description = "Percentage of the nodes that the scheduler looks at: 1 to 100, or the word 'default' for "
                    + "kube-scheduler's own rule. Default: 100, as in Trainyard's scheduler configuration.")
    private String percentageOfNodes = "100";

    @Option(
            names = "--ties",
            defaultValue = "random",
            description =
                    "Choice among nodes of equal score: random, as in kube-scheduler, or by name. Default: random.")
    private Ties ties = Ties.RANDOM;

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        try (var bench = new ScoringBench(options(), output.progress())) {
            output.print(bench.run(), ScoringReportText::of);
        }
        return 0;
    }

    private ScoringOptions options() {
        try {
            return new ScoringOptions(
                    nodes,
                    pods,
                    policies.isEmpty() ? List.of(PolicyName.FRAGMENTATION) : policies,
                    seeds,
                    wholeGpus,
                    Sampling.parse(percentageOfNodes),
                    ties,
                    schedulerConfiguration());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    /** Returns the kube-scheduler configuration from the manifests that users install. */
    private static String schedulerConfiguration() {
        try (InputStream file = Objects.requireNonNull(
                BenchScoringCommand.class.getResourceAsStream(SCHEDULER_CONFIGURATION),
                "the build packed no manifests")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(SCHEDULER_CONFIGURATION, e);
        }
    }
}
