package dev.trainyard.scaler;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A virtual environment of Python with packages from PyPI. The first use installs them. If that fails, tests are skipped with the reason;
 * with {@code CI=true} they fail. Thread-safe, also between processes.
 */
public final class PythonEnvironment {

    private static final long INSTALLATION_MINUTES = 5;

    private final Path home;
    private final Path log;
    private final List<String> packages;

    /**
     * @param home the directory of the environment; its name should change with the versions of the packages
     * @param packages names and versions, such as {@code flask==3.1.2}
     */
    public PythonEnvironment(Path home, List<String> packages) {
        this.home = home;
        this.log = home.resolveSibling(home.getFileName() + "-installation.log");
        this.packages = List.copyOf(packages);
    }

    /** Returns the path of the interpreter. Installs the packages unless they are installed. */
    public Path interpreter() throws IOException, InterruptedException {
        Files.createDirectories(home.getParent());
        var lock = home.resolveSibling(home.getFileName() + ".lock");
        try (var file = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // Two processes of tests may need the environment at the same time.
            file.lock();
            var done = home.resolve("installed");
            if (!Files.exists(done)) {
                install();
                Files.createFile(done);
            }
        }
        return python();
    }

    private Path python() {
        return home.resolve("bin").resolve("python");
    }

    private void install() throws IOException, InterruptedException {
        Files.deleteIfExists(log);
        run("python3 cannot make a virtual environment (Debian: package python3-venv)", "python3", "-m", "venv", home);
        var pip = new ArrayList<Object>(
                List.of(python(), "-m", "pip", "install", "--no-input", "--no-compile", "--disable-pip-version-check"));
        pip.addAll(packages);
        run("pip cannot install " + packages + " from PyPI", pip.toArray());
    }

    private void run(String otherwise, Object... command) throws IOException, InterruptedException {
        var words = Arrays.stream(command).map(Object::toString).toList();
        Process process;
        try {
            process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw missing("there is no " + words.get(0));
        }
        if (!process.waitFor(INSTALLATION_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            throw missing("%s within %d minutes, see %s".formatted(otherwise, INSTALLATION_MINUTES, log));
        } else if (process.exitValue() != 0) {
            var lines = Files.readAllLines(log);
            throw missing("%s: %s".formatted(otherwise, lines.isEmpty() ? "" : lines.get(lines.size() - 1)));
        }
    }

    /** Returns the failure of a test that misses something in CI. Elsewhere, skips the test. */
    public static AssertionError missing(String why) {
        return "true".equals(System.getenv("CI")) ? new AssertionError(why) : abort(why);
    }
}
