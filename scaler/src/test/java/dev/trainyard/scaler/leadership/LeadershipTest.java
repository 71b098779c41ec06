package dev.trainyard.scaler.leadership;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeadershipTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'holderIdentity': 'somebody', 'renewTime': '2999-01-01T00:00:00.000000Z'}",
                "{'holderIdentity': 'somebody', 'leaseDurationSeconds': 15}"
            })
    void takesLeaseThatLacksDurationOrRenewal(String spec) throws Exception {
        var lease = """
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"name": "trainyard-scaler", "namespace": "trainyard-system"}, "spec": %s}
                """.formatted(spec.replace('\'', '"')).getBytes(StandardCharsets.UTF_8);
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                boolean writes = "PUT".equals(exchange.getRequestMethod());
                var answer = writes ? exchange.getRequestBody().readAllBytes() : lease;
                exchange.getResponseHeaders().set("Content-Type", "application/json");
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        server.start();
        var leads = new CountDownLatch(1);
        var config = new ConfigBuilder()
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build();
        try (var client = new KubernetesClientBuilder().withConfig(config).build();
                var leadership = new Leadership(
                        client,
                        "trainyard-system",
                        "me",
                        new LeaseValidity(System::nanoTime),
                        leader -> {},
                        leads::countDown,
                        () -> true,
                        () -> {})) {
            assertThat(leadership).isNotNull();
            assertThat(leads.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            server.stop(0);
        }
    }
}
