package dev.trainyard.local.binaries;

import dev.trainyard.local.process.LogTail;
import dev.trainyard.local.process.SupervisedProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The compiler of Go modules: this machine's {@link GoCommand}, with a check of its version and a report of its progress. */
final class GoCompiler {
    private static final Duration LONGEST_BUILD = Duration.ofMinutes(45);
    /** The timeout of {@code go env}. An older Go may first download a newer one by itself; the timeout includes that download. */
    private static final Duration LONGEST_VERSION_CHECK = Duration.ofMinutes(5);

    private static final Pattern GO_LINE = Pattern.compile("^go (\\d+\\.\\d+)", Pattern.MULTILINE);

    private final GoCommand go;
    private final ProgressListener progress;

    GoCompiler(Map<String, String> environment, ProgressListener progress) {
        this.go = new GoCommand(environment);
        this.progress = progress;
    }

    /** Returns the Go version that a module requires, such as {@code 1.26}. */
    static String goVersion(byte[] module) {
        Matcher line = GO_LINE.matcher(new String(module, StandardCharsets.UTF_8));
        if (!line.find()) {
            throw new IllegalStateException("go.mod has no go line");
        }
        return line.group(1);
    }

    /** Returns why the module in {@code directory} cannot be compiled on this machine; empty if there is a new enough Go. */
    Optional<String> whyUnusable(Path directory) throws IOException {
        Optional<Path> command = go.find();
        if (command.isEmpty()) {
            return Optional.of(go.whyNone());
        }
        String wanted = goVersion(Files.readAllBytes(directory.resolve("go.mod")));
        Path log = directory.resolve("version.log");
        Optional<String> failure = run(
                command.get(),
                directory,
                List.of("env", "GOVERSION"),
                log,
                LONGEST_VERSION_CHECK,
                "Checking " + command.get());
        // Reads the last line only, because an older Go logs the download of a newer Go before the version.
        String found = String.join("", new LogTail(log, 0).lines(1));
        return failure.isEmpty() && GoCommand.isAtLeast(found, wanted)
                ? Optional.empty()
                : Optional.of("Go " + wanted + " or newer is needed; " + command.get() + " says: " + found);
    }

    /**
     * Compiles packages of the module in {@code directory}. Call {@link #whyUnusable} first.
     *
     * @param arguments flags and packages of {@code go build}
     * @return why the compilation failed; empty if it succeeded
     */
    Optional<String> build(Path directory, List<String> arguments, String title) {
        Optional<Path> command = go.find();
        if (command.isEmpty()) {
            return Optional.of(go.whyNone());
        }
        List<String> build = new ArrayList<>(List.of("build", "-v", "-trimpath"));
        build.addAll(arguments);
        return run(command.get(), directory, build, directory.resolve("build.log"), LONGEST_BUILD, title);
    }

    /** Runs the go command, and returns why it failed; empty if it succeeded. */
    private Optional<String> run(
            Path command, Path directory, List<String> arguments, Path log, Duration longest, String title) {
        progress.step(title);
        long start = System.nanoTime();
        List<String> line = new ArrayList<>(List.of(command.toString(), "-C", directory.toString()));
        line.addAll(arguments);
        SupervisedProcess process =
                SupervisedProcess.start(new SupervisedProcess.Launch("go", line, Map.of("GOWORK", "off"), log));
        try {
            while (process.isAlive()) {
                Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
                if (elapsed.compareTo(longest) > 0) {
                    return Optional.of("go was stopped after " + longest.toMinutes() + " minutes, the limit");
                }
                waitASecond(process);
                String now = String.join("", process.log().lines(1));
                progress.still(
                        "%s: %d:%02d min, now %s".formatted(title, elapsed.toMinutes(), elapsed.toSecondsPart(), now));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        } finally {
            process.kill();
        }
        return process.exitCode().equals(OptionalInt.of(0))
                ? Optional.empty()
                : Optional.of("failed: " + String.join(" | ", process.log().lines(6)));
    }

    private static void waitASecond(SupervisedProcess process) throws InterruptedException {
        try {
            process.onExit().get(1, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // The caller checks again.
        }
    }
}
