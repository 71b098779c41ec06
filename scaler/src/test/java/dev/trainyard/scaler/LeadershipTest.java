package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeadershipTest {

    /** The elector cannot read a Lease without a duration, and gives up. */
    private static final String LEASE = """
            {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
             "metadata": {"name": "trainyard-scaler", "namespace": "trainyard-system"},
             "spec": {"holderIdentity": "somebody"}}
            """;

    @Test
    void reportsLossWhenElectionFails() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                var body = LEASE.getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        var lost = new CountDownLatch(1);
        var config = new ConfigBuilder()
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build();
        try (var client = new KubernetesClientBuilder().withConfig(config).build()) {
            var leadership = new Leadership(
                    client,
                    "trainyard-system",
                    "me",
                    new Tenure(System::nanoTime),
                    leader -> {},
                    () -> {},
                    () -> false,
                    lost::countDown);
            assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
            leadership.close();
        } finally {
            server.stop(0);
        }
    }
}
