package dev.trainyard.workshop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The output of benchmarks: progress, and a report for people or programs. */
final class BenchOutput {

    enum Output {
        TEXT,
        JSON
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "text|json",
            defaultValue = "text",
            description =
                    "A report for people, or one JSON document. Progress goes to standard error. Default: ${DEFAULT-VALUE}.")
    private Output output = Output.TEXT;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec command;

    /** Returns a printer of progress lines to standard error. */
    Consumer<String> progress() {
        var err = command.commandLine().getErr();
        return line -> {
            err.println(line);
            err.flush();
        };
    }

    /**
     * Prints a report in the chosen format.
     *
     * @param text converts the report to text for people
     */
    <T> void print(T report, Function<T, String> text) throws JsonProcessingException {
        var out = command.commandLine().getOut();
        out.print(output == Output.TEXT ? text.apply(report) : new ObjectMapper().writeValueAsString(report) + "\n");
        out.flush();
    }
}
