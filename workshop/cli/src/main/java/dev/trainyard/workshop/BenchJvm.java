package dev.trainyard.workshop;

import dev.trainyard.workshop.cluster.Part;
import dev.trainyard.workshop.cluster.ServerJvm;
import java.util.List;
import picocli.CommandLine.Option;

/** The JVM of benchmarks that start a server. */
final class BenchJvm {

    @Option(
            names = "--jvm-option",
            paramLabel = "OPTION",
            description = "Start server and floor with this JVM option instead of their usual ones; may be repeated.")
    private List<String> options = List.of();

    /** The start of the command lines of that component and of its floor. */
    List<String> command(Part part) {
        return options.isEmpty() ? ServerJvm.command(part) : ServerJvm.command(options);
    }
}
