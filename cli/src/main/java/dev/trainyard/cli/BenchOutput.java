package dev.trainyard.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.cli.yard.Part;
import dev.trainyard.cli.yard.ServerJvm;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The flags that benchmarks of a server beside its floor have in common. */
final class BenchFlags {

    enum Output {
        TEXT,
        JSON
    }

    @Option(
            names = "--jvm-option",
            paramLabel = "OPTION",
            description = "Start server and floor with this JVM option instead of their usual ones; may be repeated.")
    private List<String> jvmOptions = List.of();

    @Option(
            names = "--output",
            defaultValue = "text",
            description = "text, or json: one JSON document on standard output. Progress goes to standard error.")
    private Output output = Output.TEXT;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    /** The start of the command lines of that component and of its floor. */
    List<String> jvm(Part part) {
        return jvmOptions.isEmpty() ? ServerJvm.command(part) : ServerJvm.command(jvmOptions);
    }

    /** Tells the user what is being done. */
    Consumer<String> progress() {
        var err = command.commandLine().getErr();
        return line -> {
            err.println(line);
            err.flush();
        };
    }

    /** @param text the report for people */
    <T> void print(T report, Function<T, String> text) throws JsonProcessingException {
        var out = command.commandLine().getOut();
        out.print(output == Output.TEXT ? text.apply(report) : new ObjectMapper().writeValueAsString(report) + "\n");
        out.flush();
    }
}
