package dev.trainyard.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Helm itself, which renders the chart for tests: the one that {@code TRAINYARD_HELM} names, else what {@code e2e/helm/go.mod} pins. */
final class Helm {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path CHART = ROOT.resolve("manifests/chart");

    /** What it printed, on both streams. */
    record Result(int exitCode, String output) {}

    private final Path program;

    private Helm(Path program) {
        this.program = program;
    }

    static Helm find() {
        return new Helm(GoProgram.find("helm", "TRAINYARD_HELM", "helm.sh/helm/v4/cmd/helm"));
    }

    Path program() {
        return program;
    }

    /** What the chart makes of these values for a cluster of that version; must succeed. */
    String render(String kubernetes, String namespace, List<String> values) {
        var result = template(kubernetes, namespace, values);
        if (result.exitCode() != 0) {
            throw new AssertionError("helm template with %s: %s".formatted(values, result.output()));
        }
        return result.output();
    }

    /** @param values as {@code --set} takes them, such as {@code cloud=none} */
    Result template(String kubernetes, String namespace, List<String> values) {
        var arguments = new ArrayList<String>(List.of("template", "trainyard", CHART.toString()));
        arguments.addAll(List.of("--namespace", namespace, "--kube-version", "v" + kubernetes));
        values.forEach(value -> arguments.addAll(List.of("--set", value)));
        return run(arguments);
    }

    Result run(List<String> arguments) {
        return run(program.toString(), arguments);
    }

    static Result run(String program, List<String> arguments) {
        var command = new ArrayList<String>(List.of(program));
        command.addAll(arguments);
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output.stripTrailing());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + program, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + program + " ran", e);
        }
    }
}
