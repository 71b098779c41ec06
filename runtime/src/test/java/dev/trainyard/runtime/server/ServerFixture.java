package dev.trainyard.runtime.server;

import dev.trainyard.certs.Credentials;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.runtime.health.Health;
import dev.trainyard.runtime.metrics.Metrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/** A fixture with an echo server on loopback, and clients for tests. */
final class ServerFixture implements AutoCloseable {
    static final LeafRequest LEAF = LeafRequest.forServerAndClient("webhook")
            .withDnsNames("localhost", "webhook.trainyard.svc")
            .withIpAddresses("127.0.0.1");
    static final ServerOptions OPTIONS =
            ServerOptions.of("webhook", "127.0.0.1", 0).withCertificateCheck(Duration.ofHours(1));
    static final Routes ECHO = Routes.none()
            .post("/echo", request -> Response.json(request.body()))
            .post("/who", request -> Response.text(200, request.clientName().orElse("none")))
            .post(
                    "/timeout",
                    request -> Response.text(200, request.parameter("timeout").orElse("none")))
            .post("/fail", request -> {
                throw new IllegalStateException("a secret of the inside");
            })
            .post("/deep", request -> deeper(0))
            .get("/status", request -> Response.text(200, "fine"));

    private static Response deeper(int depth) {
        return depth < 0 ? Response.text(200, "overflown") : deeper(depth + 1);
    }

    final Vertx vertx = Vertx.vertx();
    final Metrics metrics = new Metrics();
    final TlsDirectory tls;
    final ComponentServer server;
    private final List<Runnable> others = new ArrayList<>();

    ServerFixture(Path directory, ServerOptions options) {
        this(directory, options, ECHO);
    }

    ServerFixture(Path directory, ServerOptions options, Routes routes) {
        tls = TlsDirectory.open(directory, LEAF, Clock.systemUTC());
        server = ComponentServer.start(vertx, options, tls, routes, metrics.registry(), Clock.systemUTC());
    }

    HttpsClient client(Credentials credentials) {
        HttpsClient client = new HttpsClient(vertx, credentials, Duration.ofMinutes(1));
        others.add(client::close);
        return client;
    }

    OperationsServer operations(Health health) {
        OperationsServer operations = OperationsServer.start(vertx, "webhook", "127.0.0.1", 0, health, metrics);
        others.add(operations::close);
        return operations;
    }

    URI url(String path) {
        return URI.create("https://127.0.0.1:" + server.port() + path);
    }

    HttpResponse<String> jdkPost(SSLContext context, String path, byte[] body) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(context)
                .connectTimeout(Duration.ofMinutes(1))
                .build()
                .send(
                        HttpRequest.newBuilder(url(path))
                                .timeout(Duration.ofMinutes(1))
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    static Buffer text(String text) {
        return Buffer.buffer(text);
    }

    @Override
    public void close() {
        others.forEach(Runnable::run);
        server.close(Duration.ofSeconds(1));
        metrics.close();
        BlockingWait.upTo(20, vertx.close(), "cannot close Vert.x");
    }
}
