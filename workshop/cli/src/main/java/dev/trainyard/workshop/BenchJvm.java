package dev.trainyard.workshop;

import dev.trainyard.workshop.cluster.InstalledComponent;
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

    /** Returns the start of the command line, which is the same for the component and for the floor that it is compared with. */
    List<String> command(InstalledComponent part) {
        return options.isEmpty() ? ServerJvm.command(part) : ServerJvm.command(options);
    }
}
