package dev.trainyard.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * Programs written in Go that tests run. A module {@code e2e/NAME} pins the version. The program is compiled once, in some minutes, into the
 * user's cache. Tests are skipped with the reason if it cannot be compiled; with {@code CI=true} they fail.
 */
final class GoProgram {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));

    private GoProgram() {}

    /**
     * Returns the program, after compiling it if the cache lacks it.
     *
     * @param name of the program and of the folder of its module
     * @param variable an environment variable that names a program to use instead
     * @param source the package to compile
     */
    static Path find(String name, String variable, String source) {
        var named = System.getenv(variable);
        if (named != null && !named.isBlank()) {
            return Path.of(named);
        }
        try {
            return cached(name, source);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path cached(String name, String source) throws IOException {
        var module = ROOT.resolve("e2e").resolve(name);
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
            var go = go().orElseThrow(() -> unavailable("there is no go command"));
            var result = Helm.run(
                    go.toString(),
                    List.of(
                            "-C",
                            module.toString(),
                            "build",
                            "-trimpath",
                            "-ldflags",
                            "-s -w",
                            "-o",
                            built.toString(),
                            source));
            if (result.exitCode() != 0) {
                throw unavailable("go build failed: " + result.output());
            }
            Files.move(built, program, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(built);
            Files.deleteIfExists(built.getParent());
        }
        return program;
    }

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

    /** The Go compiler, if it is here. */
    static Optional<Path> go() {
        var chosen = System.getenv("TRAINYARD_GO");
        if (chosen != null && !chosen.isBlank()) {
            return Optional.of(Path.of(chosen)).filter(Files::isExecutable);
        }
        return onPath("go")
                .or(() -> Optional.of(Path.of("/usr/local/go/bin/go")).filter(Files::isExecutable));
    }

    /** A program that the shell would find. */
    static Optional<Path> onPath(String name) {
        return Arrays.stream(
                        Optional.ofNullable(System.getenv("PATH")).orElse("").split(":"))
                .filter(directory -> !directory.isBlank())
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Skips the test, or fails it with {@code CI=true}. */
    static RuntimeException unavailable(String why) {
        var message =
                "this test needs a program that is missing: %s; TRAINYARD_HELM, TRAINYARD_REGISTRY and TRAINYARD_GO can name one"
                        .formatted(why);
        return "true".equals(System.getenv("CI"))
                ? new IllegalStateException(message)
                : new TestAbortedException(message);
    }
}
