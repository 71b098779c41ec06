package dev.trainyard.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * Helm itself, which renders the chart for tests: the one that {@code TRAINYARD_HELM} names, else what {@code e2e/helm/go.mod} pins,
 * compiled once (some minutes) into the user's cache. Where it cannot be had tests are skipped, with the reason; with {@code CI=true}
 * they fail instead.
 */
final class Helm {

    private static final String VARIABLE = "TRAINYARD_HELM";
    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path CHART = ROOT.resolve("manifests/chart");
    private static final Path MODULE = ROOT.resolve("e2e/helm");
    private static final String PACKAGE = "helm.sh/helm/v4/cmd/helm";

    /** What it printed, on both streams. */
    record Result(int exitCode, String output) {}

    private final Path program;

    private Helm(Path program) {
        this.program = program;
    }

    static Helm find() {
        try {
            var named = System.getenv(VARIABLE);
            return new Helm(named == null || named.isBlank() ? cached() : Path.of(named));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    private static Path cached() throws IOException {
        var xdg = Optional.ofNullable(System.getenv("XDG_CACHE_HOME")).filter(directory -> directory.startsWith("/"));
        var caches = xdg.map(Path::of).orElse(Path.of(System.getProperty("user.home"), ".cache"));
        var directory = caches.resolve("trainyard").resolve("helm").resolve(fingerprint());
        var helm = directory.resolve("helm");
        if (Files.isExecutable(helm)) {
            return helm;
        }
        System.err.println("[helm] Compiling Helm (once, some minutes)");
        Files.createDirectories(directory);
        var built = Files.createTempDirectory(directory, "build").resolve("helm");
        try {
            var go = go().orElseThrow(() -> unavailable("there is no go command"));
            var result = run(
                    go.toString(),
                    List.of(
                            "-C",
                            MODULE.toString(),
                            "build",
                            "-trimpath",
                            "-ldflags",
                            "-s -w",
                            "-o",
                            built.toString(),
                            PACKAGE));
            if (result.exitCode() != 0) {
                throw unavailable("go build failed: " + result.output());
            }
            Files.move(built, helm, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(built);
            Files.deleteIfExists(built.getParent());
        }
        return helm;
    }

    private static String fingerprint() throws IOException {
        try {
            var digest = java.security.MessageDigest.getInstance("SHA-256");
            digest.update(Files.readAllBytes(MODULE.resolve("go.mod")));
            digest.update(Files.readAllBytes(MODULE.resolve("go.sum")));
            return HexFormat.of().formatHex(digest.digest()).substring(0, 12);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The Go compiler, if it is here. */
    static Optional<Path> go() {
        var chosen = System.getenv("TRAINYARD_GO");
        if (chosen != null && !chosen.isBlank()) {
            return Optional.of(Path.of(chosen)).filter(Files::isExecutable);
        }
        var path = Arrays.stream(
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(":"));
        return Stream.concat(path, Stream.of("/usr/local/go/bin"))
                .filter(directory -> !directory.isBlank())
                .map(directory -> Path.of(directory, "go"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Skips the test, or fails it with {@code CI=true}. */
    static RuntimeException unavailable(String why) {
        var message = "what this test needs cannot be had: %s; Helm can be named by %s".formatted(why, VARIABLE);
        return "true".equals(System.getenv("CI"))
                ? new IllegalStateException(message)
                : new TestAbortedException(message);
    }

    private static Result run(String program, List<String> arguments) {
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
