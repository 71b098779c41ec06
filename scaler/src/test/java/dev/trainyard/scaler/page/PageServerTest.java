package dev.trainyard.scaler.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.server.ListenAddress;
import dev.trainyard.runtime.server.ServerVertx;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests that are answered, and the headers of answers. */
class PageServerTest {

    private static Vertx vertx;
    private static PageServer server;

    @BeforeAll
    static void start() {
        vertx = ServerVertx.open();
        server = PageServer.start(vertx, new ListenAddress("127.0.0.1", 0), Scenes.busy());
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:8090", "127.0.0.1:1", "[::1]:8090"})
    void answersThoseWhoComeByThePortThatTheyForwarded(String host) throws IOException {
        assertThat(get("/status.json", "Host: " + host))
                .startsWith("HTTP/1.1 200 ")
                .contains("\"light-spot\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "localhost.evil.example",
                "127.0.0.1.evil.example",
                "10.0.0.7:8090",
                "trainyard-scaler"
            })
    void refusesANameThatSomebodyElseMayHaveMadeToMeanThisAddress(String host) throws IOException {
        assertThat(get("/status.json", "Host: " + host))
                .startsWith("HTTP/1.1 403 ")
                .contains("kubectl port-forward")
                .doesNotContain("light-spot");
    }

    @Test
    void refusesWhatAPageOfAnotherSiteAsksFor() throws IOException {
        assertThat(get("/status.json", "Host: localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"))
                .startsWith("HTTP/1.1 403 ")
                .contains("other sites")
                .doesNotContain("light-spot");
        assertThat(get("/", "Host: localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void canOnlyBeRead() throws IOException {
        assertThat(send("POST", "/status.json", "Host: localhost", "Content-Length: 0"))
                .startsWith("HTTP/1.1 405 ")
                .containsIgnoringCase("allow: GET, HEAD");
        assertThat(get("/../secrets", "Host: localhost"))
                .startsWith("HTTP/1.1 404 ")
                .contains("known: /,");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pool=%zz", "pool=a&state=%", "pool=%e", "%zz=a", "other=%g0&pool=light-spot"})
    void saysWhatIsWrongWithAQueryThatCannotBeDecoded(String query) throws IOException {
        assertThat(get("/machines.json?" + query, "Host: localhost"))
                .startsWith("HTTP/1.1 400 ")
                .contains("the query of /machines.json cannot be read: ")
                .contains("%25");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/%zz", "/%", "/machines.json%zz", "/machines.json/%2", "//%zz", "http://localhost/%zz"})
    void aPathThatCannotBeDecodedIsAnUnknownOne(String path) throws IOException {
        assertThat(get(path, "Host: localhost")).startsWith("HTTP/1.1 404 ").contains("known: /,");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/?pool=%zz", "/status.json?%zz", "/page.js?v=%"})
    void aQueryThatNobodyReadsHindersNothing(String path) throws IOException {
        assertThat(get(path, "Host: localhost")).startsWith("HTTP/1.1 200 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "%zz", "localhost:notaport", "localhost:99999999999", "a b", "", "@", ":"})
    void aHostThatCannotBeReadIsAnswered(String host) throws IOException {
        assertThat(get("/status.json", "Host: " + host))
                .matches("(?s)HTTP/1.1 40[03] .*")
                .doesNotContain("light-spot");
    }

    @Test
    void letsTheBrowserRunAndLoadNothingButItsOwnFiles() throws IOException {
        var page = get("/", "Host: localhost");
        assertThat(page)
                .containsIgnoringCase(
                        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';")
                .contains("require-trusted-types-for 'script'")
                .doesNotContain("unsafe-")
                .containsIgnoringCase("x-content-type-options: nosniff")
                .containsIgnoringCase("cache-control: no-store")
                .doesNotContainPattern("(?i)<[^>]+\\son\\w+=")
                .doesNotContainPattern("<[^>]+\\sstyle=")
                .doesNotContainPattern("<script(?![^>]*src=)")
                .doesNotContainPattern("(?:src|href)=\"(?:https?:)?//");
        assertThat(get("/page.js", "Host: localhost"))
                .doesNotContain("innerHTML", "insertAdjacentHTML", "document.write", "eval(");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "10.1.2.3"})
    void isNotServedWhereOthersCanReachIt(String host) {
        assertThatThrownBy(() -> PageServer.start(vertx, new ListenAddress(host, 0), Scenes.empty()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loopback")
                .hasMessageContaining("kubectl port-forward");
    }

    private static String get(String path, String... headers) throws IOException {
        return send("GET", path, headers);
    }

    /** Sends a request over a socket, since HTTP clients set headers such as Host themselves. */
    private static String send(String method, String path, String... headers) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(30_000);
            var request = "%s %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
                    .formatted(method, path, String.join("\r\n", headers));
            socket.getOutputStream().write(request.getBytes(UTF_8));
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }
}
