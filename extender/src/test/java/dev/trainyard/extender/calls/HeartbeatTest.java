package dev.trainyard.extender.calls;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HeartbeatTest {

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/trainyard-system/leases";

    private final AtomicReference<String> stored = new AtomicReference<>();
    private final List<String> written = Collections.synchronizedList(new ArrayList<>());
    private volatile int refusal;
    private HttpServer server;
    private KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    @Test
    void makesTheLeaseAndRenewsItWhoeverHadIt() {
        beat("host-0", NOON);
        beat("host-1", NOON.plusSeconds(30));

        assertThat(written).containsExactly("POST " + LEASES, "PUT " + LEASES + "/trainyard-extender");
        var spec = Serialization.unmarshal(stored.get(), Lease.class).getSpec();
        assertThat(spec.getHolderIdentity()).isEqualTo("host-1");
        assertThat(spec.getRenewTime().toInstant()).isEqualTo(NOON.plusSeconds(30));
        assertThat(spec.getLeaseDurationSeconds()).isEqualTo(120);
    }

    @Test
    void goesOnAfterARefusal() {
        var heartbeat = heartbeat("host-0", NOON);
        refusal = 403;
        heartbeat.beat();
        assertThat(stored.get()).isNull();

        refusal = 0;
        heartbeat.beat();
        assertThat(stored.get()).contains("host-0");
        heartbeat.close();
    }

    private void beat(String host, Instant now) {
        try (var heartbeat = heartbeat(host, now)) {
            heartbeat.beat();
        }
    }

    private Heartbeat heartbeat(String host, Instant now) {
        return new Heartbeat(client, Heartbeat.beside(LeaseName.DEFAULT), host, Clock.fixed(now, ZoneOffset.UTC));
    }

    private void answer(HttpExchange exchange) throws IOException {
        int status = 200;
        if (refusal != 0) {
            status = refusal;
        } else if (!exchange.getRequestMethod().equals("GET")) {
            written.add(
                    exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
            stored.set(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        } else if (stored.get() == null) {
            status = 404;
        }
        var body = status == 200
                ? Optional.ofNullable(stored.get()).orElse("")
                : "{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"code\":%d}".formatted(status);
        try (exchange) {
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
