package dev.trainyard.workshop;

import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.ServerJvm;
import java.util.List;
import picocli.CommandLine.Option;

/** The {@code --jvm-option} of benchmarks that start a server in a separate JVM. */
final class BenchJvm {

    @Option(
            names = "--jvm-option",
            paramLabel = "OPTION",
            description =
                    "Start server and floor with this JVM option instead of their usual options; may be repeated.")
    private List<String> options = List.of();

    /**
     * Returns the first part of a command line: a JVM with its options. The benchmark uses this part for the component, and for the floor,
     * a minimal program for comparison.
     */
    List<String> command(InstalledComponent part) {
        return options.isEmpty() ? ServerJvm.command(part) : ServerJvm.command(options);
    }
}
