package dev.trainyard.runtime.server;

import static dev.trainyard.runtime.server.ServerFixture.await;
import static dev.trainyard.runtime.server.ServerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComponentServerTest {
    @TempDir
    Path directory;

    private ServerFixture fixture;
    private HttpsClient client;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withMaxBodyBytes(1000));
        client = fixture.client(fixture.tls);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void answersWithWhatTheHandlerGives() throws Exception {
        Response echoed = await(client.post(fixture.url("/echo"), text("{\"a\":1}")));

        assertThat(echoed).isEqualTo(new Response(200, "application/json", text("{\"a\":1}")));
        assertThat(await(client.get(fixture.url("/status"))).body()).hasToString("fine\n");
        assertThat(await(client.post(fixture.url("/timeout?timeout=10s&x=%20"), text("")))
                        .body())
                .hasToString("10s\n");
    }

    @Test
    void servesTheJdkClientWithoutAClientCertificate() throws Exception {
        HttpResponse<String> response = fixture.jdkPost(
                fixture.tls.current().sslContextWithoutCertificate(),
                "/who",
                "x".getBytes(java.nio.charset.StandardCharsets.US_ASCII));

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("none\n");
    }

    @Test
    void anUnknownPathIs404AndNamesTheKnownOnes() throws Exception {
        Response response = await(client.post(fixture.url("/mutat"), text("")));

        assertThat(response.status()).isEqualTo(404);
        assertThat(response.body()).hasToString("unknown path; known: /echo, /who, /timeout, /fail, /deep, /status\n");
    }

    @Test
    void theWrongMethodIs405AndNamesTheRightOne() throws Exception {
        Response response = await(client.get(fixture.url("/echo")));

        assertThat(response.status()).isEqualTo(405);
        assertThat(response.body()).hasToString("method not allowed; /echo allows POST\n");
    }

    @Test
    void aLongBodyIs413WhetherItsLengthIsAnnouncedOrNot() throws Exception {
        assertThat(await(client.post(fixture.url("/echo"), text("x".repeat(1000))))
                        .status())
                .isEqualTo(200);

        Response announced = await(client.post(fixture.url("/echo"), text("x".repeat(1001))));
        Response megabytes = await(client.post(fixture.url("/echo"), text("x".repeat(5 << 20))));
        HttpResponse<String> chunked = HttpClient.newBuilder()
                .sslContext(fixture.tls.current().sslContext())
                .build()
                .send(
                        HttpRequest.newBuilder(fixture.url("/echo"))
                                .timeout(Duration.ofSeconds(20))
                                .POST(HttpRequest.BodyPublishers.fromPublisher(
                                        HttpRequest.BodyPublishers.ofByteArray(new byte[5000])))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        assertThat(announced.status()).isEqualTo(413);
        assertThat(announced.body()).hasToString("the request body is longer than 1000 bytes\n");
        assertThat(megabytes.status()).isEqualTo(413);
        assertThat(chunked.statusCode()).isEqualTo(413);
    }

    @Test
    void aHandlerThatThrowsIs500WithoutItsInnards() throws Exception {
        Response response = await(client.post(fixture.url("/fail"), text("")));

        assertThat(response.status()).isEqualTo(500);
        assertThat(response.body().toString())
                .matches("internal error; search the log of the webhook for id=[0-9a-f]{8}\n");
        assertThat(await(client.post(fixture.url("/echo"), text("still there"))).status())
                .isEqualTo(200);
    }

    @Test
    void aHandlerThatRecursesTooDeeplyIs500AsWell() throws Exception {
        assertThat(await(client.post(fixture.url("/deep"), text(""))).status()).isEqualTo(500);
        assertThat(await(client.post(fixture.url("/echo"), text(""))).status()).isEqualTo(200);
    }

    @Test
    void everyAnswerIsCountedByPathAndStatus() throws Exception {
        await(client.post(fixture.url("/echo"), text("")));
        await(client.post(fixture.url("/echo"), text("")));
        await(client.post(fixture.url("/fail"), text("")));
        await(client.post(fixture.url("/no/such/path"), text("")));

        assertThat(fixture.metrics.scrape())
                .contains(
                        "trainyard_http_requests_seconds_count{component=\"webhook\",path=\"/echo\",status=\"200\"} 2",
                        "trainyard_http_requests_seconds_count{component=\"webhook\",path=\"/fail\",status=\"500\"} 1",
                        "trainyard_http_requests_seconds_count{component=\"webhook\",path=\"unknown\",status=\"404\"} 1",
                        "trainyard_http_requests_seconds_bucket{component=\"webhook\",path=\"/echo\",status=\"200\",le=\"0.01\"}",
                        "trainyard_http_connection_failures_total{component=\"webhook\"} 0");
    }

    @Test
    void closingLetsARequestThatWasBegunFinish() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        Routes slow = Routes.none().post("/slow", request -> {
            begun.countDown();
            closing.await(10, TimeUnit.SECONDS);
            return Response.text(200, "done");
        });
        ComponentServer server = ComponentServer.start(
                fixture.vertx, ServerFixture.OPTIONS, fixture.tls, slow, fixture.metrics.registry(), Clock.systemUTC());
        var response = client.post(URI.create("https://127.0.0.1:" + server.port() + "/slow"), text(""));
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> closed = CompletableFuture.runAsync(() -> server.close(Duration.ofSeconds(10)));
        closing.countDown();

        assertThat(await(response).body()).hasToString("done\n");
        closed.get(10, TimeUnit.SECONDS);
        // A new connection is needed: the client may still hold the one that the server is closing.
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), server.port()).close())
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void namesRequestsWhoseCallerLeftBeforeTheAnswer() throws Exception {
        var begun = new CountDownLatch(1);
        var gone = new CountDownLatch(1);
        var slow = Routes.none()
                .post("/slow", request -> {
                    begun.countDown();
                    gone.await(20, TimeUnit.SECONDS);
                    return Response.text(200, "late");
                })
                .post("/quick", request -> Response.text(200, "done"));
        var left = new LinkedBlockingQueue<Request>();
        try (var server = ComponentServer.start(
                fixture.vertx,
                ServerFixture.OPTIONS,
                fixture.tls,
                slow,
                fixture.metrics.registry(),
                Clock.systemUTC())) {
            server.onUnanswered(left::add, () -> {});
            var connection = new RawConnection(fixture.tls.current().sslContext(), server.port());
            assertThat(connection.send(post("/quick", "answered")).receive()).endsWith("done\n");
            connection.send(post("/slow", "unanswered"));
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            connection.close();
            gone.countDown();

            var request = left.poll(20, TimeUnit.SECONDS);
            assertThat(request).isNotNull();
            assertThat(request.path()).isEqualTo("/slow");
            assertThat(request.body()).hasToString("unanswered");
        }
        assertThat(left).as("the answered one").isEmpty();
    }

    @Test
    void countsACallerThatLeavesInTheHandshakeAsUnanswered() throws Exception {
        var left = new Semaphore(0);
        fixture.server.onUnanswered(request -> {}, left::release);
        try (var hello = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
            hello.getOutputStream().write(new byte[] {22, 3, 1, 0}); // the start of a handshake
        }

        assertThat(left.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    }

    private static String post(String path, String body) {
        return "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s".formatted(path, body.length(), body);
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        ServerOptions taken = ServerOptions.of("scaler", "127.0.0.1", fixture.server.port());

        assertThatThrownBy(() -> ComponentServer.start(
                        fixture.vertx,
                        taken,
                        fixture.tls,
                        Routes.none(),
                        fixture.metrics.registry(),
                        Clock.systemUTC()))
                .isInstanceOf(ServerException.class)
                .hasMessageStartingWith("the scaler cannot listen on 127.0.0.1:" + fixture.server.port())
                .hasMessageContaining("Address already in use");
    }

    @Test
    void anIdleTimeoutThatBreaksKubernetesClientsIsRefused() {
        assertThatThrownBy(() -> ServerFixture.OPTIONS.withIdleTimeout(Duration.ofSeconds(90)))
                .hasMessageContaining("must be longer than the 90 s");
    }
}
