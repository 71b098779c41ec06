package dev.trainyard.workshop.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.CloudEmulator;
import dev.trainyard.emulator.EmulatedMachine;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class InstanceNodesTest {

    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    /** A node exists already if the response to an earlier attempt was lost. */
    @Test
    void aNodeThatIsThereAlreadyKeepsNoOtherFromJoining() throws Exception {
        var asked = new CopyOnWriteArrayList<String>();
        var bodies = new ConcurrentHashMap<String, String>();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            var name = List.of("there", "refused", "new").stream()
                    .filter(node -> body.contains("hostname\":\"" + node))
                    .findFirst()
                    .orElse("");
            if (exchange.getRequestMethod().equals("POST")) {
                asked.add("POST " + name);
                bodies.put(name, body);
            }
            int status = exchange.getRequestMethod().equals("POST")
                    ? Map.of("there", 409, "refused", 500).getOrDefault(name, 201)
                    : 404;
            var answer =
                    (status == 201 ? body : "{\"kind\": \"Status\", \"code\": %d}".formatted(status)).getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        var config = new ConfigBuilder()
                .withAutoConfigure(false)
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .withRequestRetryBackoffLimit(0)
                .build();
        var pool = Pool.of(
                "light",
                new TrainingPoolSpec(
                        new ProviderSpec(null, null, new AwsAutoScalingGroup("eu-west-1", "group", null), null),
                        CapacityType.SPOT,
                        null,
                        null,
                        null,
                        new PromiseSpec(null, null, Map.of("cpu", new Quantity("4")), null, null),
                        null,
                        null,
                        null));
        var registration = new WebhookRegistration(pool, Duration.ZERO, Duration.ZERO);
        try (var client = new KubernetesClientBuilder().withConfig(config).build();
                var nodes = new InstanceNodes(
                        client,
                        new Machines("there", "refused", "new"),
                        Map.of("group", registration),
                        Clock.fixed(NOON, ZoneOffset.UTC))) {
            nodes.tick();
            assertThat(asked).containsExactlyInAnyOrder("POST there", "POST refused", "POST new");
            nodes.tick();
            assertThat(asked)
                    .as("only what failed is tried again")
                    .endsWith("POST refused")
                    .hasSize(4);
            assertThat(bodies.get("new"))
                    .as("joins as a node of EKS does, and without our labels")
                    .contains("\"eks.amazonaws.com/capacityType\":\"SPOT\"")
                    .contains("node.cloudprovider.kubernetes.io/uninitialized")
                    .doesNotContain("trainyard.dev/pool");
        } finally {
            server.stop(0);
        }
    }

    private record Machines(String... names) implements CloudEmulator {

        @Override
        public URI url() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String authorityPem() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, String> environment(Path authority) {
            return Map.of();
        }

        @Override
        public List<EmulatedMachine> machines() {
            return List.of(names).stream()
                    .map(name -> new EmulatedMachine("group", name, "aws:///a/" + name, NOON.minusSeconds(1)))
                    .toList();
        }

        @Override
        public void stock(String group, int machines) {}

        @Override
        public void close() {}
    }
}
