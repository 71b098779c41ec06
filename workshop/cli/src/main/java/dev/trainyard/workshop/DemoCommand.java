package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.LogSuppression;
import dev.trainyard.cli.Terminal;
import dev.trainyard.local.binaries.BinariesUnavailableException;
import dev.trainyard.local.binaries.KubernetesVersion;
import dev.trainyard.workshop.cluster.ChosenCloud;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.demo.Demo;
import dev.trainyard.workshop.demo.DemoOptions;
import dev.trainyard.workshop.demo.DemoReport;
import dev.trainyard.workshop.demo.Reality;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard demo}. */
@Command(
        name = "demo",
        description = "Shows Trainyard at work on a real Kubernetes control plane on this machine. If none is "
                + "available, the demo is simulated. Runs only in a checkout of the sources.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class DemoCommand implements Callable<Integer> {

    private static final String SIMULATED = "simulated";

    enum Output {
        TEXT,
        JSON
    }

    @Option(
            names = "--scenario",
            split = ",",
            paramLabel = "NAME",
            description =
                    "The scenario to play: spot, fallback, burst, tiers, reclaim or gangs; none: only start everything. May be repeated. Default: all.")
    private List<String> scenarios = List.of();

    @Option(
            names = "--cloud",
            paramLabel = "CLOUD",
            defaultValue = "kwok",
            description = "The cloud. kwok: simulated machines; aws: Auto Scaling groups of an emulated AWS; azure: "
                    + "scale sets of an emulated Azure. The scaler uses the clouds' real SDKs. Default: "
                    + "${DEFAULT-VALUE}.")
    private ChosenCloud cloud = ChosenCloud.KWOK;

    @Option(names = "--keep", description = "Keep the cluster running afterwards, and print how to use kubectl on it.")
    private boolean keep;

    @Option(
            names = "--output",
            defaultValue = "text",
            description =
                    "The format: text, or json for one JSON document on standard output and progress on standard error.")
    private Output output = Output.TEXT;

    @Option(
            names = "--kubernetes",
            paramLabel = "VERSION",
            description = "The version of the control plane: 1.36 or 1.32; or simulated, in virtual time without a "
                    + "control plane. Default: 1.36, or simulated if no control plane is available.")
    private @Nullable String kubernetes;

    @Option(
            names = "--without",
            split = ",",
            paramLabel = "PART",
            description = "Run without webhook, extender or scaler, to see the difference.")
    private List<InstalledComponent> without = List.of();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "90",
            description = "How long to wait for each expected event. Default: ${DEFAULT-VALUE}.")
    private long timeout;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() {
        boolean json = output == Output.JSON;
        var options = options(!json && Terminal.isThere());
        try {
            var report = play(new Demo(options, json ? System.err : System.out), options);
            if (json) {
                print(report);
            }
            return report.ok() ? 0 : 1;
        } catch (RuntimeException e) {
            if (json) {
                print(DemoReport.failed(cloud, String.valueOf(e.getMessage())));
            }
            throw e;
        }
    }

    private static DemoReport play(Demo demo, DemoOptions options) {
        if (options.reality() == Reality.SIMULATED) {
            return simulate(demo, Optional.empty());
        }
        try {
            return demo.run();
        } catch (BinariesUnavailableException e) {
            if (!options.mayBeSimulated()) {
                throw e;
            }
            return simulate(demo, Optional.ofNullable(e.getMessage()));
        }
    }

    private static DemoReport simulate(Demo demo, Optional<String> whyNotReal) {
        return LogSuppression.during(() -> demo.simulate(whyNotReal));
    }

    private DemoOptions options(boolean terminal) {
        try {
            if (timeout <= 0) {
                throw new IllegalArgumentException(
                        "--timeout: %d is not a number of seconds to wait".formatted(timeout));
            }
            boolean simulated = SIMULATED.equals(kubernetes);
            return new DemoOptions(
                    kubernetes == null || simulated ? KubernetesVersion.CURRENT : KubernetesVersion.parse(kubernetes),
                    simulated ? Reality.SIMULATED : kubernetes == null ? Reality.REAL_IF_POSSIBLE : Reality.REAL,
                    chosen(),
                    cloud,
                    Set.copyOf(without),
                    keep,
                    terminal,
                    Duration.ofSeconds(timeout));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private List<String> chosen() {
        if (scenarios.isEmpty()) {
            return Demo.scenarioNames();
        }
        return scenarios.equals(List.of("none")) ? List.of() : scenarios;
    }

    private static void print(DemoReport report) {
        try {
            System.out.println(new ObjectMapper().writeValueAsString(report));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
