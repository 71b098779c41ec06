package dev.trainyard.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** A Go program for tests, whose version a Go module pins. The program is compiled once into the user's cache, which takes some minutes. */
final class GoTool {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));

    /** A program's exit code, and its standard output and standard error together, without trailing white space. */
    record Result(int exitCode, String output) {}

    private final Path program;

    private GoTool(Path program) {
        this.program = program;
    }

    /**
     * Returns the program that an environment variable names, else the program in the cache. Compiles a program that is missing in the
     * cache. If the compilation fails, the test is skipped with the reason, or fails with {@code CI=true}.
     *
     * @param module the directory of the Go module, relative to the project's root; the last part of the path is the program's name
     * @param source the package to compile
     * @param variable the environment variable
     */
    static GoTool find(String module, String source, String variable) {
        var named = System.getenv(variable);
        if (named != null && !named.isBlank()) {
            return new GoTool(Path.of(named));
        }
        try {
            return new GoTool(cached(ROOT.resolve(module), source, variable));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot compile " + source, e);
        }
    }

    Path program() {
        return program;
    }

    /**
     * Returns the directory of a module's sources in the go command's module cache. Our Go module pins the version.
     *
     * @param module the directory of our module, relative to the project's root
     * @param path path of the pinned module
     */
    static Path sources(String module, String path) {
        var go = go().orElseThrow(() -> unavailable("there is no go command"));
        var result = run(
                go, List.of("-C", ROOT.resolve(module).toString(), "list", "-mod=mod", "-m", "-f", "{{.Dir}}", path));
        if (result.exitCode() != 0 || result.output().isBlank()) {
            throw unavailable("the sources of %s are missing: %s".formatted(path, result.output()));
        }
        return Path.of(result.output());
    }

    /** Runs the program until it ends. */
    Result run(List<String> arguments) {
        return run(program, arguments);
    }

    private static Path cached(Path module, String source, String variable) throws IOException {
        var name = module.getFileName().toString();
        var xdg = Optional.ofNullable(System.getenv("XDG_CACHE_HOME")).filter(directory -> directory.startsWith("/"));
        var caches = xdg.map(Path::of).orElse(Path.of(System.getProperty("user.home"), ".cache"));
        var directory = caches.resolve("trainyard").resolve(name).resolve(fingerprint(module));
        var program = directory.resolve(name);
        if (Files.isExecutable(program)) {
            return program;
        }
        System.err.printf("[%s] Compiling %s (once, some minutes)%n", name, source);
        Files.createDirectories(directory);
        var built = Files.createTempDirectory(directory, "build").resolve(name);
        try {
            var go = go().orElseThrow(
                            () -> unavailable("there is no go command; %s can name the program".formatted(variable)));
            var build = List.of("build", "-trimpath", "-ldflags", "-s -w", "-o", built.toString(), source);
            var result = run(
                    go,
                    Stream.concat(Stream.of("-C", module.toString()), build.stream())
                            .toList());
            if (result.exitCode() != 0) {
                throw unavailable("go build failed; %s can name the program: %s".formatted(variable, result.output()));
            }
            Files.move(built, program, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(built);
            Files.deleteIfExists(built.getParent());
        }
        return program;
    }

    /** Returns a digest of the pinned versions, so that a changed pin causes a new compilation. */
    private static String fingerprint(Path module) throws IOException {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            digest.update(Files.readAllBytes(module.resolve("go.mod")));
            digest.update(Files.readAllBytes(module.resolve("go.sum")));
            return HexFormat.of().formatHex(digest.digest()).substring(0, 12);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the go command in {@code TRAINYARD_GO}, else the first on the {@code PATH}, else the one in {@code /usr/local/go}. */
    static Optional<Path> go() {
        var chosen = System.getenv("TRAINYARD_GO");
        if (chosen != null && !chosen.isBlank()) {
            return Optional.of(Path.of(chosen)).filter(Files::isExecutable);
        }
        return onPath("go")
                .or(() -> Optional.of(Path.of("/usr/local/go/bin/go")).filter(Files::isExecutable));
    }

    /** Returns the first program of that name on the {@code PATH}. */
    static Optional<Path> onPath(String name) {
        return Arrays.stream(
                        Optional.ofNullable(System.getenv("PATH")).orElse("").split(":"))
                .filter(directory -> !directory.isBlank())
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Returns the exception for a missing program, which skips the test, or fails it with {@code CI=true}. */
    static RuntimeException unavailable(String why) {
        var message = "this test needs a program that is missing: " + why;
        return "true".equals(System.getenv("CI"))
                ? new IllegalStateException(message)
                : new TestAbortedException(message);
    }

    private static Result run(Path program, List<String> arguments) {
        var command = new ArrayList<String>(List.of(program.toString()));
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
