package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.check.CheckedInstallation;
import dev.trainyard.cli.check.Checks;
import dev.trainyard.cli.check.CloudReader;
import dev.trainyard.cli.check.ClusterReader;
import dev.trainyard.cli.check.Finding;
import dev.trainyard.cli.check.Finding.Level;
import dev.trainyard.core.Names;
import dev.trainyard.extender.calls.LeaseName;
import dev.trainyard.runtime.kubernetes.ConnectionFailures;
import dev.trainyard.runtime.kubernetes.KubernetesClients;
import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
            "Walks through a cluster as the API server and the scheduler will, finds what keeps pods waiting, and says what to do. Changes nothing: pods are created with dryRun=All.",
            "Each finding is a line that begins with ok, note, warning or error. What you may not look at is a warning, 'not checked', with the right that it needs.",
            "Exit codes: 0, all is well; 1, there are findings as bad as --fail-on says; 2, the cluster cannot be reached, the output cannot be written, or called wrongly."
        },
        exitCodeOnExecutionException = 2)
public final class CheckCommand implements Callable<Integer> {

    /** The format of the findings. */
    enum Output {
        TEXT,
        JSON
    }

    /** The JSON document of {@code --output json}. */
    record Report(boolean ok, List<Finding> findings) {}

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "How to reach the cluster, which is only read. Default: as kubectl would.")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            defaultValue = Names.NAMESPACE,
            description = "That Trainyard itself runs in. Default: ${DEFAULT-VALUE}.")
    private String namespace = Names.NAMESPACE;

    @Option(
            names = "--scheduler-lease",
            paramLabel = "NAMESPACE/NAME",
            description =
                    "As the extender has it; the extender's own Lease is in that namespace. Default: trainyard-scheduler in --namespace.")
    private @Nullable LeaseName schedulerLease;

    @Option(
            names = "--pod-namespace",
            paramLabel = "NAME",
            defaultValue = "default",
            description =
                    "Where a pod of each tier is created on trial (dryRun=All), which shows whether the API server calls the webhook."
                            + " Default: ${DEFAULT-VALUE}.")
    private String podNamespace = "default";

    @Option(
            names = "--clouds",
            description =
                    "Ask the clouds of pools as well, as whom this environment says: meant for the scaler's pod. Without it, what the scaler says of them counts.")
    private boolean clouds;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10s",
            description = "How long to wait for each answer. Default: ${DEFAULT-VALUE}.")
    private Duration timeout = Duration.ofSeconds(10);

    @Option(
            names = "--fail-on",
            paramLabel = "note|warning|error",
            defaultValue = "error",
            description = "The mildest finding for which to end with 1. Default: ${DEFAULT-VALUE}.")
    private Level failOn = Level.ERROR;

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
        if (failOn == Level.OK) {
            throw new IllegalArgumentException("--fail-on: 'ok' is no trouble; expected note, warning or error");
        }
        if (timeout.isZero()) {
            throw new IllegalArgumentException("--timeout: 0s is too short for any answer; expected more, such as 10s");
        }
        var findings = findings();
        boolean ok = findings.stream().noneMatch(finding -> finding.level().compareTo(failOn) >= 0);
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
        var setting =
                CheckedInstallation.of(namespace, Optional.ofNullable(schedulerLease), podNamespace, Main.VERSION);
        var clock = Clock.systemUTC();
        var providers =
                clouds ? CloudModule.openAll(SupportedClouds.ALL, true, clock) : Map.<String, CloudProvider>of();
        try (var client = KubernetesClients.open(kubeconfig)) {
            var asked = CloudReader.of(providers);
            try {
                return Checks.run(
                        new ClusterReader(client, setting, clock, timeout, asked, StatusReader.once(client)::read));
            } catch (KubernetesClientException e) {
                throw new IllegalArgumentException(ConnectionFailures.words(client.getConfiguration(), e), e);
            }
        } finally {
            providers.values().forEach(CloudProvider::close);
        }
    }
}
