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
            "Checks a cluster for everything that keeps pods pending, and reports how to fix each problem. Changes "
                    + "nothing: test pods are created with dryRun=All.",
            "Each finding is a line that begins with ok, note, warning or error. If you lack the right for a check, "
                    + "the finding is a warning, 'not checked', with the missing right.",
            "Exit codes: 0, all findings are below the level of --fail-on; 1, a finding has this level or a higher "
                    + "one; 2, the cluster cannot be reached, the output cannot be written, or wrong usage."
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
            description =
                    "The kubeconfig file of the cluster, which is only read. Default: the cluster that kubectl would use.")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            defaultValue = Names.NAMESPACE,
            description = "The namespace that Trainyard runs in. Default: ${DEFAULT-VALUE}.")
    private String namespace = Names.NAMESPACE;

    @Option(
            names = "--scheduler-lease",
            paramLabel = "NAMESPACE/NAME",
            description = "The scheduler's Lease: the value of the extender's option of the same name. The extender's "
                    + "own Lease is in the same namespace. Default: trainyard-scheduler in --namespace.")
    private @Nullable LeaseName schedulerLease;

    @Option(
            names = "--pod-namespace",
            paramLabel = "NAME",
            defaultValue = "default",
            description = "The namespace for test pods of each tier (dryRun=All). The test pods show whether the API "
                    + "server calls the webhook. Default: ${DEFAULT-VALUE}.")
    private String podNamespace = "default";

    @Option(
            names = "--clouds",
            description =
                    "Also call the clouds of pools and the queues of notices, with the credentials of this environment. "
                            + "Meant to be run in the scaler's pod. Default: rely on the scaler's status of each pool.")
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
            description = "The lowest level of a finding that causes exit code 1. Default: ${DEFAULT-VALUE}.")
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
            throw new IllegalArgumentException("--fail-on must be note, warning or error, but is ok");
        }
        if (timeout.isZero()) {
            throw new IllegalArgumentException("--timeout must be greater than 0s, such as 10s, but is 0s");
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
        var modules = clouds ? SupportedClouds.ALL : List.<CloudModule>of();
        var providers = CloudModule.openAll(modules, true, clock);
        try (var client = KubernetesClients.open(kubeconfig)) {
            var asked = CloudReader.of(providers, modules);
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
