package dev.trainyard.workshop;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code trainyard bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures parts of Trainyard on this machine. For comparison, the same run also measures a "
                + "minimal program (the floor) or an alternative. Runs only in a checkout of the sources.",
        subcommands = {
            BenchWebhookCommand.class,
            BenchExtenderCommand.class,
            BenchSchedulerCommand.class,
            BenchReactionCommand.class,
            BenchScaleCommand.class,
            BenchScoringCommand.class,
            BenchPlannerCommand.class,
            BenchChaosCommand.class
        })
final class BenchCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    @Override
    public Integer call() {
        throw new ParameterException(
                command.commandLine(),
                "bench: name a benchmark: "
                        + String.join(", ", command.subcommands().keySet()));
    }
}
