package dev.trainyard.scaler.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.core.node.MachineNotice;
import dev.trainyard.runtime.namespace.ClusterNamespaces;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.SnapshotReader;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class KubernetesClusterTest {

    @Test
    void holdsAPatchToTheNodeThatWasSeen() {
        var patch = new ObjectMapper().createObjectNode();
        patch.putObject("metadata").putObject("annotations").put("a", "b");
        KubernetesCluster.expect(patch, "17");
        assertThat(patch).hasToString("""
                {"metadata":{"annotations":{"a":"b"},"resourceVersion":"17"}}""");
    }

    @Test
    void labelsANodeInOneRequest() throws IOException {
        assertThat(requestsFor("gpu-1", cluster -> cluster.label("gpu-1", Map.of("a", "b"))))
                .containsExactly("PATCH /api/v1/nodes/gpu-1 {\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
    }

    @Test
    void annotatesAPodInOneRequest() throws IOException {
        var pod = SnapshotReader.onNode(List.of(Objects.running("solo", "n")), "trainyard-system")
                .get(0);

        assertThat(requestsFor("solo", cluster -> cluster.annotate(pod, Map.of("a", Optional.of("b")))))
                .containsExactly("PATCH /api/v1/namespaces/team/pods/solo "
                        + "{\"metadata\":{\"annotations\":{\"a\":\"b\"},\"uid\":\"uid-solo\"}}");
    }

    @Test
    void writesTheStatusOfATierInOneRequest() throws IOException {
        var tier = new TrainingTier();
        tier.setMetadata(new ObjectMetaBuilder()
                .withName("light")
                .withResourceVersion("3")
                .build());

        assertThat(requestsFor(
                        "light", cluster -> cluster.status(tier, new TrainingTierStatus(7L, "done", null, null))))
                .containsExactly(
                        "PATCH /apis/trainyard.dev/v1alpha1/trainingtiers/light/status "
                                + "[{\"op\":\"add\",\"path\":\"/status\",\"value\":{\"observedGeneration\":7,\"message\":\"done\"}}]");
    }

    @Test
    void writesNoticeWithoutReadingAndOnlyOnTheNodeWithThisUid() throws IOException {
        var node = new NodeBuilder()
                .withNewMetadata()
                .withName("n-1")
                .withUid("u-1")
                .withResourceVersion("7")
                .endMetadata()
                .build();
        var notice = MachineNotice.withdrawn("i-1", "trainyard.dev/aws-instance-state", Instant.EPOCH);

        assertThat(requestsTo(
                        "n-1", (client, watches) -> new KubernetesNoticedNodes(client, watches).write(node, notice)))
                .containsExactly(
                        "PATCH /api/v1/nodes/n-1 {\"metadata\":{\"uid\":\"u-1\",\"annotations\":{\"trainyard.dev/aws-instance-state\":\"withdrawn, announced at 1970-01-01T00:00:00Z\"}}}");
    }

    @Test
    void findsNodeByItsMachine() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> listNodes(exchange));
        server.start();
        var changes = new Semaphore(0);
        try (var client = client(server);
                var watches = new Watches(client, new SimpleMeterRegistry(), changes::release, () -> {})) {
            while (watches.nodes().size() < 3) {
                assertThat(changes.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            }
            var nodes = new KubernetesNoticedNodes(client, watches);

            assertThat(nodes.find(MachineNotice.withdrawn("i-1", "a", Instant.EPOCH)))
                    .hasValueSatisfying(
                            node -> assertThat(node.getMetadata().getName()).isEqualTo("n-1"));
            assertThat(nodes.find(MachineNotice.withdrawn("i-2", "a", Instant.EPOCH)))
                    .isEmpty();
        } finally {
            server.stop(0);
        }
    }

    /** Answers the list of nodes. Leaves all other requests open. */
    private static void listNodes(HttpExchange exchange) throws IOException {
        var query = String.valueOf(exchange.getRequestURI().getQuery());
        if (!exchange.getRequestURI().getPath().equals("/api/v1/nodes") || query.contains("watch=true")) {
            return;
        }
        answer(exchange, """
                {"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[
                 {"metadata":{"name":"n-0","uid":"0"}},
                 {"metadata":{"name":"n-12","uid":"12"},"spec":{"providerID":"aws:///eu-west-1a/i-12"}},
                 {"metadata":{"name":"n-1","uid":"1"},"spec":{"providerID":"aws:///eu-west-1a/i-1"}}]}""");
    }

    private static KubernetesClient client(HttpServer server) {
        var config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        try (exchange) {
            var answer = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        }
    }

    /** Returns the requests about an object that a cluster sends to its API server. */
    private static List<String> requestsFor(String name, Consumer<KubernetesCluster> action) throws IOException {
        return requestsTo(name, (client, watches) -> {
            var registry = new SimpleMeterRegistry();
            try (var namespaces = ClusterNamespaces.watch(client, registry)) {
                action.accept(new KubernetesCluster(
                        client,
                        watches,
                        namespaces,
                        GangObjects.NONE,
                        "trainyard-system",
                        new ScalerMetrics(registry)));
            }
        });
    }

    private static List<String> requestsTo(String name, BiConsumer<KubernetesClient, Watches> action)
            throws IOException {
        var requests = new CopyOnWriteArrayList<String>();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(exchange, name, requests));
        server.start();
        try (var client = client(server);
                var watches = new Watches(client, new SimpleMeterRegistry(), () -> {}, () -> {})) {
            action.accept(client, watches);
        } finally {
            server.stop(0);
        }
        return requests;
    }

    /** Answers each request about the object with an empty object. Leaves all other requests open, so that watches wait. */
    private static void answer(HttpExchange exchange, String name, List<String> requests) throws IOException {
        var path = exchange.getRequestURI().getPath();
        if (!path.contains("/" + name)) {
            return;
        }
        var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(exchange.getRequestMethod() + " " + path + " " + body);
        answer(exchange, "{\"metadata\":{\"name\":\"%s\"}}".formatted(name));
    }
}
