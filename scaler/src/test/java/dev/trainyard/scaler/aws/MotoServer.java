package dev.trainyard.scaler.aws;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * moto, an AWS in Python that others wrote, as a process on a port of its own. Installed into {@code scaler/target} by whoever asks first.
 * Where it cannot be had, tests are skipped; with {@code CI=true} they fail.
 */
final class MotoServer implements AutoCloseable {

    /** 5.1 writes times that the SDK refuses. */
    private static final List<String> PACKAGES = List.of("moto[ec2]==5.2.4", "flask", "flask-cors");

    private static final Path HOME = Path.of(System.getProperty("trainyard.root"), "scaler", "target", "moto-5.2.4");
    private static final Pattern READY = Pattern.compile("Running on (http://\\S+)");
    private static final long INSTALLATION_MINUTES = 10;

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
        var builder = new ProcessBuilder("python3", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0")
                .redirectErrorStream(true);
        builder.environment().put("PYTHONPATH", HOME.toString());
        var process = builder.start();
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

    private static void install() throws IOException, InterruptedException {
        var done = HOME.resolve("installed");
        if (Files.exists(done)) {
            return;
        }
        var command = new ArrayList<>(
                List.of("python3", "-m", "pip", "install", "-q", "--no-input", "--target", HOME.toString()));
        command.addAll(PACKAGES);
        Process pip;
        try {
            pip = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            missing("python3 is not installed");
            return;
        }
        if (!pip.waitFor(INSTALLATION_MINUTES, TimeUnit.MINUTES) || pip.exitValue() != 0) {
            pip.destroyForcibly();
            missing("pip could not install " + PACKAGES);
        }
        Files.createFile(done);
    }

    private static MotoServer missing(String why) {
        var message = why + ": the contract is not run on moto";
        if ("true".equals(System.getenv("CI"))) {
            throw new AssertionError(message);
        }
        return abort(message);
    }

    /** A process whose output nobody reads stops when the pipe is full. */
    private static void drain(BufferedReader output) {
        var drain = new Thread(
                () -> {
                    try (output) {
                        while (output.readLine() != null) {
                            // what moto says of each request is of no interest
                        }
                    } catch (IOException e) {
                        // it has ended
                    }
                },
                "moto-output");
        drain.setDaemon(true);
        drain.start();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(5, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
