package dev.trainyard.workshop;

import dev.trainyard.bench.process.BenchException;
import dev.trainyard.cli.Main;
import dev.trainyard.local.ControlPlaneException;
import dev.trainyard.local.binaries.BinariesUnavailableException;
import dev.trainyard.workshop.cluster.TestClusterException;
import java.util.List;
import picocli.CommandLine;

/** The program that a checkout runs. Adds {@code demo} and {@code bench} to the commands of {@link Main}. */
public final class Workshop {

    private Workshop() {}

    /** Runs the command in {@code arguments}, and exits. */
    public static void main(String[] arguments) {
        Main.run(commandLine(arguments), arguments);
    }

    /** Returns a new command line as {@link Main#commandLine} does. */
    static CommandLine commandLine(String... arguments) {
        return Main.commandLine(
                List.of(DemoCommand.class, BenchCommand.class),
                problem -> problem instanceof BinariesUnavailableException
                        || problem instanceof ControlPlaneException
                        || problem instanceof TestClusterException
                        || problem instanceof BenchException,
                arguments);
    }
}
