package dev.trainyard.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.runtime.configuration.ResourceFileException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the whole webhook on loopback, over HTTPS, with pools and tiers from files. */
class WebhookComponentTest {

    private static final Path EXAMPLES = Path.of(System.getProperty("trainyard.root"), "manifests", "examples");

    private static final String REVIEW = """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
              "uid": "u-1", "operation": "CREATE", "namespace": "default", "kind": {"kind": "Pod"},
              "object": {"spec": {"containers": [{"name": "a", "resources": {"limits": {"nvidia.com/gpu": 1}}}]}}}}
            """;

    @TempDir
    private Path directory;

    private WebhookComponent webhook;

    @BeforeEach
    void start() throws Exception {
        var options = WebhookOptions.onLoopback(directory.resolve("tls")).withResources(EXAMPLES);
        webhook = WebhookComponent.start(options, Clock.systemUTC());
        assertThat(webhook.awaitReady(Duration.ofSeconds(30)))
                .as("%s", webhook.whyNotReady())
                .isTrue();
    }

    @AfterEach
    void stop() {
        webhook.close();
    }

    @Test
    void answersOverHttpsUnderItsOwnCa() throws Exception {
        var response = post(client(), webhook.url() + "?timeout=3s", REVIEW);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("\"uid\":\"u-1\"", "\"allowed\":true", "\"patchType\":\"JSONPatch\"");
    }

    @Test
    void rejectsWhatIsNoReviewAndOtherMethods() throws Exception {
        assertThat(post(client(), webhook.url(), "nonsense").statusCode()).isEqualTo(400);
        var get = HttpRequest.newBuilder(URI.create(webhook.url())).build();
        assertThat(client().send(get, BodyHandlers.ofString()).statusCode()).isEqualTo(405);
    }

    @Test
    void servesOnWhileItDrainsOverOldConnectionsAndNew() throws Exception {
        var known = client();
        assertThat(post(known, webhook.url(), REVIEW).statusCode()).isEqualTo(200);
        assertThat(probe("/readyz").statusCode()).isEqualTo(200);

        webhook.drain();

        assertThat(probe("/readyz").statusCode()).isEqualTo(503);
        assertThat(probe("/readyz").body()).isEqualTo("shutdown: this process is about to end\n");
        assertThat(probe("/healthz").statusCode()).isEqualTo(200);
        assertThat(post(known, webhook.url(), REVIEW).body()).contains("\"patch\":");
        assertThat(post(client(), webhook.url(), REVIEW).body()).contains("\"patch\":");
    }

    @Test
    void isWarmAndHasCountedNothing() throws Exception {
        assertThat(probe("/metrics").body())
                .contains("trainyard_webhook_decisions_total{decision=\"completed\",object=\"pod\"} 0")
                .doesNotContain("trainyard_http_requests_seconds");

        post(client(), webhook.url(), REVIEW);

        assertThat(probe("/metrics").body())
                .contains(
                        "trainyard_webhook_decisions_total{decision=\"completed\",object=\"pod\"} 1",
                        "path=\"/mutate\",status=\"200\"");
    }

    @Test
    void aResourceFileThatIsNoYamlIsSaidAtTheStart() throws IOException {
        var file = Files.writeString(directory.resolve("pool.yaml"), "kind: TrainingPool\nmetadata: {name: [}\n");
        var options = WebhookOptions.onLoopback(directory.resolve("other-tls")).withResources(file);

        assertThatThrownBy(() -> WebhookComponent.start(options, Clock.systemUTC()))
                .isInstanceOf(ResourceFileException.class)
                .hasMessageContaining("pool.yaml, line 2: not YAML");
    }

    private static HttpResponse<String> post(HttpClient client, String url, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private HttpResponse<String> probe(String path) throws Exception {
        var url = URI.create("http://127.0.0.1:" + webhook.operationsPort().getAsInt() + path);
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString());
    }

    private HttpClient client() throws Exception {
        return TrustingClient.of(webhook.caPem());
    }
}
