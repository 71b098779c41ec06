package dev.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the requests of {@code status} to an API server. */
class StatusCommandTest {

    @TempDir
    private Path directory;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final StringWriter err = new StringWriter();
    private HttpServer server;

    private final StringWriter out = new StringWriter();

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var uri = exchange.getRequestURI();
            asked.add(uri.getPath() + "?" + uri.getQuery());
            var kind = uri.getPath().substring(uri.getPath().lastIndexOf('/') + 1);
            boolean first =
                    kind.equals("pods") && !String.valueOf(uri.getQuery()).contains("continue=");
            var body =
                    "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"metadata\": {\"continue\": \"%s\"}, \"items\": []}"
                            .formatted(first ? "page-2" : "")
                            .getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void readsPageByPage() throws IOException {
        assertThat(status()).isZero();
        assertThat(asked)
                .hasSize(9)
                .contains(
                        "/api/v1/pods?limit=500", "/api/v1/pods?continue=page-2&limit=500", "/api/v1/nodes?limit=500");
    }

    @Test
    void readsFromTheMemoryOfTheApiServerWhenItReadsAgainAndAgain() throws IOException {
        // The output is closed after the first status.
        var writer = new PrintWriter(out) {
            @Override
            public boolean checkError() {
                return true;
            }
        };
        assertThat(status(writer, "--watch")).isZero();
        assertThat(asked).hasSize(8).allSatisfy(query -> assertThat(query).endsWith("?resourceVersion=0"));
        assertThat(out.toString()).doesNotContain("\033").contains("No pod is pending.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1ms", "0s", "1999ms"})
    void refusesToAskMoreOftenThanIsGoodForTheCluster(String interval) throws IOException {
        assertThat(status("--watch", "--interval", interval)).isEqualTo(2);
        assertThat(err.toString())
                .contains("--interval")
                .contains("is too short, because each output reads all pods and nodes; expected at least 2s");
        assertThat(asked).isEmpty();
    }

    private int status(String... arguments) throws IOException {
        return status(new PrintWriter(out), arguments);
    }

    private int status(PrintWriter writer, String... arguments) throws IOException {
        var kubeconfig = Files.writeString(
                directory.resolve("config"), """
                apiVersion: v1
                kind: Config
                current-context: test
                clusters: [{name: test, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: test, user: {}}]
                contexts: [{name: test, context: {cluster: test, user: test}}]
                """.formatted(server.getAddress().getPort()));
        var all = new ArrayList<>(List.of("status", "--kubeconfig", kubeconfig.toString()));
        all.addAll(List.of(arguments));
        return Main.commandLine()
                .setOut(writer)
                .setErr(new PrintWriter(err, true))
                .execute(all.toArray(String[]::new));
    }
}
