package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.trainyard.bench.webhook.WebhookBench;
import dev.trainyard.bench.webhook.WebhookBenchOptions;
import dev.trainyard.bench.webhook.WebhookReportText;
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

/** The command {@code trainyard bench webhook}. */
@Command(
        name = "webhook",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures how fast the webhook starts, and its speed under load over HTTPS. For comparison, also measures the floor: a minimal",
            "server that reads the body and answers with prepared bytes. With a Go compiler, also measures a minimal webhook in Go.",
            "Takes about ten minutes."
        })
final class BenchWebhookCommand implements Callable<Integer> {

    @Option(names = "--quick", description = "4 KiB and 16 connections only: about a minute.")
    private boolean quick;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description = "How long each server is under load in a round. Default: 1.")
    private @Nullable Double seconds;

    @Option(
            names = "--connections",
            split = ",",
            paramLabel = "N",
            description = "How many connections are kept busy; several numbers are measured one after the other. "
                    + "Default: 1,16,64; with --quick: 16.")
    private List<Integer> connections = List.of();

    @Mixin
    private final BenchJvm jvm = new BenchJvm();

    @Mixin
    private final BenchOutput output = new BenchOutput();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() throws JsonProcessingException {
        try (var bench = new WebhookBench(options(), output.progress())) {
            output.print(bench.run(), WebhookReportText::of);
        }
        return 0;
    }

    private WebhookBenchOptions options() {
        var webhook = List.of(Main.class.getName(), "webhook");
        var options = quick
                ? WebhookBenchOptions.quick(jvm.command(InstalledComponent.WEBHOOK), webhook)
                : WebhookBenchOptions.full(jvm.command(InstalledComponent.WEBHOOK), webhook);
        try {
            if (seconds != null) {
                options = options.withRound(Duration.ofMillis(Math.round(seconds * 1000)));
            }
            return connections.isEmpty() ? options : options.withConnections(connections);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()));
        }
    }
}
