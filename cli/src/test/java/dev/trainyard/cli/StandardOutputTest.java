package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the executable as a process whose standard output cannot be written. */
@EnabledIf("hasADiskThatIsAlwaysFull")
class StandardOutputTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Path RESOURCES = ROOT.resolve("cli/src/test/resources");
    private static final String FULL = "/dev/full";

    @TempDir
    private Path directory;

    private record Ended(int exitCode, String err) {}

    static boolean hasADiskThatIsAlwaysFull() {
        return Files.exists(Path.of(FULL));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mutate -f JOBS --resources EXAMPLES | 3",
                "mutate -f JOBS --resources EXAMPLES -o diff | 3",
                "plan --resources EXAMPLES | 1",
                "plan --resources EXAMPLES -o json | 1",
                "import kops GROUPS | 1",
                "policy --resources EXAMPLES | 1",
                "certs show CERTIFICATE | 1",
                "certs issue --dir TEMP/tls --name a --dns a | 1",
                "simulate --resources EXAMPLES --workload JOBS | 1",
                "--help | 1",
                "help plan | 1",
            })
    void commandFailsIfTheDiskIsFull(String call, int exitCode) throws Exception {
        var ended = run(call, ">" + FULL);

        assertThat(ended.err())
                .endsWith("trainyard: standard output cannot be written: No space left on device;"
                        + " the printed output is incomplete\n");
        assertThat(ended.exitCode()).isEqualTo(exitCode);
    }

    @Test
    void commandFailsIfTheReaderOfThePipeIsGone() throws Exception {
        var process = process("plan --resources EXAMPLES", "").start();
        process.getInputStream().close();

        assertThat(ended(process))
                .isEqualTo(
                        new Ended(
                                1,
                                "trainyard: standard output cannot be written: Broken pipe; the printed output is incomplete\n"));
    }

    @Test
    void commandFailsIfStandardOutputIsClosed() throws Exception {
        var ended = run("plan --resources EXAMPLES", ">&-");

        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err())
                .startsWith("trainyard: standard output cannot be written: ")
                .hasLineCount(1);
    }

    @Test
    void statusAndItsWatchEndIfTheyCannotPrint() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var body = "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"metadata\": {}, \"items\": []}".getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            Files.writeString(directory.resolve("config"), """
                    apiVersion: v1
                    kind: Config
                    current-context: test
                    clusters: [{name: test, cluster: {server: "http://127.0.0.1:%d"}}]
                    users: [{name: test, user: {}}]
                    contexts: [{name: test, context: {cluster: test, user: test}}]
                    """.formatted(
                            server.getAddress().getPort()));
            for (var call : List.of("status", "status --watch")) {
                var ended = run(call + " --kubeconfig TEMP/config", ">" + FULL);

                assertThat(ended.err()).contains("standard output cannot be written: No space left on device");
                assertThat(ended.exitCode()).isEqualTo(1);
            }
        } finally {
            server.stop(0);
        }
    }

    @Test
    void importLeavesNoHalfFileIfTheDiskIsFull() throws Exception {
        var output = directory.resolve("yard");
        var process = process("import kops GROUPS --output-dir " + output, "");
        process.command().set(2, "ulimit -f 1; " + process.command().get(2)); // limits the size of written files

        var ended = ended(process.start());

        assertThat(ended.err())
                .startsWith("trainyard: --output-dir: " + output + " cannot be written to: File too large");
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(output).isEmptyDirectory();
    }

    private Ended run(String call, String redirection) throws IOException, InterruptedException {
        return ended(process(call, redirection).start());
    }

    private Ended ended(Process process) throws IOException, InterruptedException {
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("it ends").isTrue();
        return new Ended(process.exitValue(), Files.readString(directory.resolve("err")));
    }

    private ProcessBuilder process(String call, String redirection) {
        var arguments = call.replace(
                        "EXAMPLES", ROOT.resolve("manifests/examples").toString())
                .replace("JOBS", ROOT.resolve("manifests/examples/burst.yaml").toString())
                .replace("GROUPS", RESOURCES.resolve("import/kops/groups.yaml").toString())
                .replace("CERTIFICATE", RESOURCES.resolve("certs/tls.crt").toString())
                .replace("TEMP", directory.toString());
        var command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "exec \"$@\" " + redirection,
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Dtrainyard.root=" + ROOT,
                Main.class.getName()));
        command.addAll(List.of(arguments.split(" ")));
        var builder = new ProcessBuilder(command)
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        return builder;
    }
}
