package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.PythonEnvironment;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A process of moto, a public emulator of AWS in Python, on a port of its own. The first use installs moto below {@code clouds/aws/target}.
 */
final class MotoServer implements AutoCloseable {

    /** The version of moto. Version 5.1 is unsuitable, because it writes times that the SDK refuses. */
    private static final String VERSION = "5.2.4";

    /** The packages of moto's extra {@code server} that these two services need. The whole extra is many times as large. */
    private static final List<String> PACKAGES =
            List.of("moto[autoscaling,ec2]==" + VERSION, "flask==3.1.2", "flask-cors==6.0.1");

    private static final PythonEnvironment PYTHON = new PythonEnvironment(
            Path.of(System.getProperty("trainyard.root"), "clouds", "aws", "target", "moto-" + VERSION), PACKAGES);

    private static final Pattern READY = Pattern.compile("Running on (http://\\S+)");

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
        var process = new ProcessBuilder(
                        PYTHON.interpreter().toString(), "-m", "moto.server", "-H", "127.0.0.1", "-p", "0")
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
        throw PythonEnvironment.missing("moto did not start: " + said);
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
