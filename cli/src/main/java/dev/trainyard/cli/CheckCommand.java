package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.check.Checks;
import dev.trainyard.cli.check.Finding;
import dev.trainyard.cli.check.Finding.Word;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code trainyard check}. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Looks at a cluster for what keeps pods of Trainyard waiting, and says what to do. Changes nothing.",
            "Each finding is a line that begins with ok, warning or problem.",
            "Exit codes: 0, there is no problem; 1, there are problems; 2, the cluster cannot be reached, or called wrongly."
        },
        exitCodeOnExecutionException = 2)
public final class CheckCommand implements Callable<Integer> {

    /** How to print what was found. */
    enum Output {
        TEXT,
        JSON
    }

    /** The one JSON document. */
    record Report(boolean ok, List<Finding> findings) {}

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "How to reach the cluster, which is only read. Default: as kubectl would.")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--scheduler-lease",
            paramLabel = "NAMESPACE/NAME",
            defaultValue = "trainyard-system/trainyard-scheduler",
            description =
                    "As the extender has it; the extender's own Lease is in that namespace. Default: ${DEFAULT-VALUE}.")
    private LeaseName schedulerLease = LeaseName.DEFAULT;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description = "A line for each finding, or one JSON document. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Output output;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        var findings = findings();
        boolean ok = findings.stream().noneMatch(finding -> finding.word() == Word.PROBLEM);
        var out = command.commandLine().getOut();
        if (output == Output.JSON) {
            out.println(
                    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(new Report(ok, findings)));
        } else {
            findings.forEach(out::println);
        }
        out.flush();
        return ok ? 0 : 1;
    }

    private List<Finding> findings() {
        try (var client = KubernetesClients.open(kubeconfig)) {
            try {
                return Checks.run(client, schedulerLease, Clock.systemUTC());
            } catch (KubernetesClientException e) {
                Throwable root = e;
                while (root.getCause() != null) {
                    root = root.getCause();
                }
                throw new IllegalArgumentException(
                        "the cluster at %s cannot be reached: %s; name another one with --kubeconfig"
                                .formatted(client.getMasterUrl(), String.valueOf(root.getMessage())),
                        e);
            }
        }
    }
}
