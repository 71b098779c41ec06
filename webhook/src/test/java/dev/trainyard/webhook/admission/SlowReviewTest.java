package dev.trainyard.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.runtime.namespace.NamespaceSource;
import dev.trainyard.runtime.server.ComponentServer;
import dev.trainyard.runtime.server.ServerOptions;
import dev.trainyard.runtime.server.ServerVertx;
import dev.trainyard.webhook.TrustingClient;
import dev.trainyard.webhook.decision.Samples;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a review that never ends, on the real server. */
class SlowReviewTest {

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final Vertx vertx = ServerVertx.open();
    private ComponentServer server;
    private HttpClient client;

    @BeforeEach
    void start(@TempDir Path directory) throws Exception {
        var tls = TlsDirectory.open(
                directory, LeafRequest.forServer("webhook").withDnsNames("localhost"), Clock.systemUTC());
        var handler = new MutateHandler(
                Samples.DECIDER,
                new MutateHandlerTest.FixedConfiguration(Samples.catalogue(), true),
                new SlowNamespaces(),
                registry);
        server = ComponentServer.start(
                vertx, ServerOptions.of("webhook", "127.0.0.1", 0), tls, handler.routes(), registry, Clock.systemUTC());
        client = TrustingClient.of(tls.caPem());
    }

    @AfterEach
    void stop() throws Exception {
        free.countDown();
        server.close(Duration.ofSeconds(1));
        vertx.close().await(20, TimeUnit.SECONDS);
    }

    @Test
    void delaysNoOtherPodAndFailsWithinItsTimeout() throws Exception {
        var slow = review("slow", "4s");
        assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(review("quick", "30s").get().body()).contains("\"patch\":");

        assertThat(slow.get().statusCode()).isEqualTo(500);
        assertThat(slow.get().body()).contains("the webhook did not answer within");
        assertThat(registry.get("trainyard.webhook.decisions")
                        .tag("decision", "completed")
                        .tag("object", "pod")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    private CompletableFuture<HttpResponse<String>> review(String namespace, String timeout) {
        var review = """
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                  "uid": "u-1", "operation": "CREATE", "namespace": "%s", "kind": {"kind": "Pod"},
                  "object": {"spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}}}
                """.formatted(namespace);
        var url = URI.create("https://localhost:%d%s?timeout=%s".formatted(server.port(), MutateHandler.PATH, timeout));
        return client.sendAsync(
                HttpRequest.newBuilder(url)
                        .timeout(Duration.ofMinutes(1))
                        .POST(BodyPublishers.ofString(review))
                        .build(),
                BodyHandlers.ofString());
    }

    private final class SlowNamespaces implements NamespaceSource {
        @Override
        public Optional<NamespaceFacts> facts(String namespace) {
            if (namespace.equals("slow")) {
                begun.countDown();
                awaitFree();
            }
            return Optional.of(NamespaceFacts.NONE);
        }

        @Override
        public boolean isComplete() {
            return true;
        }

        @Override
        public void close() {}
    }

    private void awaitFree() {
        try {
            free.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
