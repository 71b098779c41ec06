package dev.trainyard.workshop.cluster;

import dev.trainyard.local.ControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The real kubectl, with the rights of an administrator of the local control plane. */
public final class Kubectl {

    private final ControlPlane controlPlane;
    private final Path directory;

    /** @param directory the working directory, for relative file names in arguments */
    public Kubectl(ControlPlane controlPlane, Path directory) {
        this.controlPlane = controlPlane;
        this.directory = directory;
    }

    /** The result of a run of kubectl: the exit code, and standard output and standard error together, without trailing white space. */
    public record Result(int exitCode, String output) {
        public boolean succeeded() {
            return exitCode == 0;
        }
    }

    /** Runs kubectl in the working directory. */
    public Result run(List<String> arguments) {
        var command = new ArrayList<String>(List.of(controlPlane.kubectl().toString()));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment().put("KUBECONFIG", controlPlane.kubeconfig().toString());
        try {
            var process = builder.start();
            process.getOutputStream().close();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output.stripTrailing());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + controlPlane.kubectl(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while kubectl ran", e);
        }
    }

    public Result run(String... arguments) {
        return run(List.of(arguments));
    }

    /**
     * Runs kubectl, which must succeed, and returns its output.
     *
     * @throws IllegalStateException if kubectl fails; the message contains its output
     */
    public String succeed(List<String> arguments) {
        var result = run(arguments);
        if (!result.succeeded()) {
            throw new IllegalStateException(
                    "kubectl %s failed:%n%s".formatted(String.join(" ", arguments), result.output()));
        }
        return result.output();
    }

    /**
     * Runs kubectl, which must succeed, and returns its output.
     *
     * @see #succeed(List)
     */
    public String succeed(String... arguments) {
        return succeed(List.of(arguments));
    }
}
