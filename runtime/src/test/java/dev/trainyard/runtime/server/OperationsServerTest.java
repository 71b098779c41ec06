package dev.trainyard.runtime.server;

import static dev.trainyard.runtime.server.ServerFixture.await;
import static dev.trainyard.runtime.server.ServerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.health.Health;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperationsServerTest {
    @TempDir
    Path directory;

    private volatile Optional<String> pools = Optional.of("TrainingPools have not been listed yet");
    private final Health health = new Health().readiness("pools", () -> pools);
    private ServerFixture fixture;
    private OperationsServer operations;

    @BeforeEach
    void start() {
        fixture = new ServerFixture(directory, ServerFixture.OPTIONS);
        operations = fixture.operations(health);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void readinessSaysWhatIsMissing() throws Exception {
        HttpResponse<String> before = get("/readyz");
        pools = Optional.empty();
        HttpResponse<String> after = get("/readyz");

        assertThat(before.statusCode()).isEqualTo(503);
        assertThat(before.body()).isEqualTo("pools: TrainingPools have not been listed yet\n");
        assertThat(after.statusCode()).isEqualTo(200);
        assertThat(after.body()).isEqualTo("ok\n");
        assertThat(get("/healthz").statusCode()).isEqualTo(200);
        assertThat(get("/elsewhere").body()).isEqualTo("unknown path; known: /healthz, /readyz, /metrics\n");
    }

    @Test
    void metricsHaveOurRequestsAndTheJvm() throws Exception {
        await(fixture.client(fixture.tls).post(fixture.url("/echo"), text("")));

        HttpResponse<String> metrics = get("/metrics");

        assertThat(metrics.headers().firstValue("Content-Type")).hasValue("text/plain; version=0.0.4; charset=utf-8");
        assertThat(metrics.body())
                .contains(
                        "trainyard_http_requests_seconds_count{component=\"webhook\",path=\"/echo\",status=\"200\"} 1",
                        "trainyard_http_requests_seconds_sum{",
                        "trainyard_http_requests_seconds_bucket{",
                        "jvm_memory_used_bytes{",
                        "jvm_threads_live_threads",
                        "jvm_gc_memory_allocated_bytes_total",
                        "process_uptime_seconds",
                        "process_cpu_usage");
    }

    @Test
    void aComponentIsReadyOnceItAnsweredItself() throws Exception {
        WarmUp warmUp = new WarmUp(
                fixture.vertx,
                fixture.client(fixture.tls),
                fixture.server,
                "webhook.trainyard.svc",
                "/echo",
                text("{}"));
        pools = Optional.empty();
        health.readiness("warm-up", warmUp);

        assertThat(get("/readyz").body()).isEqualTo("warm-up: the server has not answered its own first request yet\n");
        await(warmUp.start(3));

        assertThat(get("/readyz").body()).isEqualTo("ok\n");
        assertThat(fixture.metrics.scrape())
                .as("the slow first requests are nobody else's business")
                .doesNotContain("trainyard_http_requests_seconds_count");
    }

    @Test
    void aComponentWhoseCertificateLacksItsNameSaysSo() {
        HttpsClient client = fixture.client(fixture.tls);
        WarmUp warmUp = new WarmUp(fixture.vertx, client, fixture.server, "other.svc", "/echo", text("{}"));
        WarmUp failing = new WarmUp(fixture.vertx, client, fixture.server, "localhost", "/fail", text("{}"));

        warmUp.start(1);
        failing.start(1);

        assertThat(eventually(warmUp, "other.svc"))
                .contains("POST https://other.svc:", "No subject alternative DNS name");
        assertThat(eventually(failing, "500")).contains("status 500: internal error");
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        assertThatThrownBy(() -> OperationsServer.start(
                        fixture.vertx, "scaler", "127.0.0.1", operations.port(), health, fixture.metrics))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("the scaler cannot serve probes and metrics on 127.0.0.1:" + operations.port());
    }

    private static String eventually(WarmUp warmUp, String part) {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!warmUp.problem().orElse("").contains(part) && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        return warmUp.problem().orElse("no problem");
    }

    private HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + operations.port() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
