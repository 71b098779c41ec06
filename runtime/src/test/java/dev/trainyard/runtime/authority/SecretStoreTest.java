package dev.trainyard.runtime.authority;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.trainyard.certs.TlsException;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SecretStoreTest {
    private final List<String> asked = new ArrayList<>();
    private int status = 200;
    private String answer = "{}";
    private HttpServer api;
    private KubernetesClient client;
    private SecretStore store;

    @BeforeEach
    void start() throws IOException {
        api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        api.createContext("/", exchange -> {
            var body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            asked.add(
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " " + body);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, 0);
            try (var out = exchange.getResponseBody()) {
                out.write(answer.getBytes(UTF_8));
            }
        });
        api.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withMasterUrl("http://127.0.0.1:" + api.getAddress().getPort())
                        .withNoProxy("127.0.0.1")
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
        store = new SecretStore(client, "ours", "the-ca");
    }

    @AfterEach
    void stop() {
        client.close();
        api.stop(0);
    }

    @Test
    void readsTextsAndVersion() {
        answer = secret("Opaque");

        var stored = store.read().orElseThrow();

        assertThat(stored.data()).containsExactly(Map.entry("ca.crt", "hello"));
        assertThat(stored.version()).isEqualTo("7");
        assertThat(stored.toString()).doesNotContain("hello");
    }

    @Test
    void thereMayBeNone() {
        failing(404, "NotFound");

        assertThat(store.read()).isEmpty();
    }

    @Test
    void aSecretThatSomebodyElseKeepsIsNotTakenForOurs() {
        answer = secret("kubernetes.io/tls");

        assertThatThrownBy(store::read)
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("Secret ours/the-ca is of type kubernetes.io/tls")
                .hasMessageContaining("--tls-dir");
    }

    @Test
    void whoMayNotReadItIsToldWhatToDo() {
        failing(403, "Forbidden");

        assertThatThrownBy(store::read)
                .hasMessageContaining("cannot be read")
                .hasMessageContaining("give the ServiceAccount the right to get this Secret");
    }

    @Test
    void replacesOurTextsOfThatVersionAndNoOthers() {
        answer = secret("Opaque");

        assertThat(store.write(Map.of("ca.crt", "a", "ca.key", "b"), "7")).isTrue();

        assertThat(asked.get(asked.size() - 1))
                .startsWith("PATCH /api/v1/namespaces/ours/secrets/the-ca ")
                .contains("\"resourceVersion\":\"7\"")
                .contains("\"ca.crt\":\"YQ==\"")
                .contains("\"next.key\":null");
    }

    @Test
    void whoeverWasQuickerWins() {
        failing(409, "Conflict");

        assertThat(store.write(Map.of("ca.crt", "a", "ca.key", "b"), "7")).isFalse();
        assertThat(store.write(Map.of("ca.crt", "a", "ca.key", "b"), null)).isFalse();
        assertThat(asked.get(1))
                .startsWith("POST /api/v1/namespaces/ours/secrets ")
                .contains("Opaque");
    }

    @Test
    void aSecretThatIsGoneBeforeItIsReplacedIsLookedAtAgain() {
        failing(404, "NotFound");

        assertThat(store.write(Map.of("ca.crt", "a", "ca.key", "b"), "7")).isFalse();
    }

    private void failing(int code, String reason) {
        status = code;
        answer =
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"no\",\"reason\":\"%s\",\"code\":%d}"
                        .formatted(reason, code);
    }

    private static String secret(String type) {
        return """
                {"apiVersion": "v1", "kind": "Secret", "type": "%s", "data": {"ca.crt": "aGVsbG8="},
                 "metadata": {"name": "the-ca", "namespace": "ours", "resourceVersion": "7"}}
                """.formatted(type);
    }
}
