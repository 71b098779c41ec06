package dev.trainyard.cloud.aws;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A process of moto, a public emulator of AWS in Python, on a port of its own. The first use installs moto from PyPI into a virtual environment
 * below {@code clouds/aws/target}. If that fails, tests are skipped with the reason; with {@code CI=true} they fail.
 */
final class MotoServer implements AutoCloseable {

    /** The version of moto. Version 5.1 is unsuitable, because it writes times that the SDK refuses. */
    private static final String VERSION = "5.2.4";

    /** The packages of moto's extra {@code server} that these two services need. The whole extra is many times as large. */
    private static final List<String> PACKAGES =
            List.of("moto[autoscaling,ec2]==" + VERSION, "flask==3.1.2", "flask-cors==6.0.1");

    private static final Path TARGET = Path.of(System.getProperty("trainyard.root"), "clouds", "aws", "target");
    private static final Path HOME = TARGET.resolve("moto-" + VERSION);
    private static final Path PYTHON = HOME.resolve("bin").resolve("python");
    private static final Path LOCK = TARGET.resolve("moto.lock");
    private static final Path LOG = TARGET.resolve("moto-installation.log");

    private static final Pattern READY = Pattern.compile("Running on (http://\\S+)");
    private static final long INSTALLATION_MINUTES = 5;

    private final Process process;
    private final URI url;

    private MotoServer(Process process, URI url) {
        this.process = process;
        this.url = url;
    }

    URI url() {
        return url;
    }

    static MotoServer start() throws IOException, InterruptedException {
        install();
        var process = new ProcessBuilder(PYTHON.toString(), "-m", "moto.server", "-H", "127.0.0.1", "-p", "0")
                .redirectErrorStream(true)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        var output = process.inputReader(StandardCharsets.UTF_8);
        var said = new ArrayList<String>();
        for (var line = output.readLine(); line != null; line = output.readLine()) {
            said.add(line);
            var ready = READY.matcher(line);
            if (ready.find()) {
                drain(output);
                return new MotoServer(process, URI.create(ready.group(1)));
            }
        }
        process.destroyForcibly();
        return missing("moto did not start: " + said);
    }

    /** Installs moto once, also where two processes of tests need it at the same time. */
    private static void install() throws IOException, InterruptedException {
        Files.createDirectories(TARGET);
        try (var file = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.lock();
            var done = HOME.resolve("installed");
            if (!Files.exists(done)) {
                download();
                Files.createFile(done);
            }
        }
    }

    private static void download() throws IOException, InterruptedException {
        Files.deleteIfExists(LOG);
        run("python3 cannot make a virtual environment (Debian: package python3-venv)", "python3", "-m", "venv", HOME);
        var pip = new ArrayList<Object>(
                List.of(PYTHON, "-m", "pip", "install", "--no-input", "--no-compile", "--disable-pip-version-check"));
        pip.addAll(PACKAGES);
        run("pip cannot install " + PACKAGES + " from PyPI", pip.toArray());
    }

    private static void run(String otherwise, Object... command) throws IOException, InterruptedException {
        var words = new ArrayList<String>();
        for (var word : command) {
            words.add(word.toString());
        }
        Process process;
        try {
            process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
                    .start();
        } catch (IOException e) {
            missing("there is no " + words.get(0));
            return;
        }
        if (!process.waitFor(INSTALLATION_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly();
            missing("%s within %d minutes, see %s".formatted(otherwise, INSTALLATION_MINUTES, LOG));
        } else if (process.exitValue() != 0) {
            var lines = Files.readAllLines(LOG);
            missing("%s: %s".formatted(otherwise, lines.isEmpty() ? "" : lines.get(lines.size() - 1)));
        }
    }

    private static MotoServer missing(String why) {
        var message = "the contract is not run on moto: " + why;
        if ("true".equals(System.getenv("CI"))) {
            throw new AssertionError(message);
        }
        return abort(message);
    }

    /** Reads and discards the output. Otherwise the process would stop as soon as the pipe is full. */
    private static void drain(BufferedReader output) {
        var drain = new Thread(
                () -> {
                    try (output) {
                        while (output.readLine() != null) {
                            // moto's log of requests is not needed
                        }
                    } catch (IOException e) {
                        // the process has ended
                    }
                },
                "moto-output");
        drain.setDaemon(true);
        drain.start();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
