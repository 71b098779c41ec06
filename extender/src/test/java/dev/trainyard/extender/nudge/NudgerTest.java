package dev.trainyard.extender.nudge;

import static dev.trainyard.extender.ClusterFixture.CATALOGUE;
import static dev.trainyard.extender.ClusterFixture.index;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.nodes;
import static dev.trainyard.extender.ClusterFixture.pod;
import static dev.trainyard.extender.ClusterFixture.removing;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.node.NodeWatcher;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NudgerTest {

    private static final Node HEAVY = node("heavy", "heavy-spot", 24, 4);

    private final NodeIndex index = index(HEAVY);
    private final Filter filter = new Filter(InstantSource.system());
    private final RefusedPods waiting = new RefusedPods(new LastResortFilter(filter));
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<String> tried = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> statuses = new ConcurrentHashMap<>();
    private Duration now = Duration.ZERO;

    private HttpServer server;
    private KubernetesClient client;
    private Nudger nudger;

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
        nudger = new Nudger(
                waiting,
                () -> CATALOGUE,
                index,
                new PodNudge(client, Clock.systemUTC()),
                () -> now.toNanos(),
                registry);
        index.watch((NodeWatcher) waiting);
    }

    @AfterEach
    void stop() {
        nudger.close();
        client.close();
        server.stop(0);
    }

    @Test
    void onePodThatCannotBeNudgedKeepsNoOtherFromIt() {
        statuses.put("bad", 403);
        statuses.put("gone", 404);
        refuse("bad", "gone", "good", "another");

        assertThat(triedInTurn()).containsExactly("bad", "gone", "good", "another");
        assertThat(count("sent")).isEqualTo(2);
        assertThat(count("failed")).isEqualTo(1);
        now = now.plus(NudgeRateLimit.FIRST);
        assertThat(triedInTurn()).as("only what failed").containsExactly("bad");
    }

    @Test
    void aPodWhoseNudgeBreaksTheClientKeepsNoOtherFromIt() {
        statuses.put("bad", 200 + NOT_JSON);
        refuse("bad", "good");

        assertThat(triedInTurn()).containsExactly("bad", "good");
        assertThat(count("sent")).isEqualTo(1);
    }

    @Test
    void leavesTheRestForTheNextTurnWhereTheServerHasTooMuchToDoAndDoesNotCountIt() {
        statuses.put("a", 429);
        statuses.put("b", 503);
        refuse("a", "b", "c", "d");

        assertThat(triedInTurn()).containsExactly("a");
        assertThat(triedInTurn()).containsExactly("b");
        assertThat(triedInTurn()).as("at once, as they were not tried yet").containsExactly("c", "d");
        now = now.plus(NudgeRateLimit.FIRST);
        statuses.clear();
        assertThat(triedInTurn()).containsExactly("a", "b");
    }

    @Test
    void aPodThatFailsComesAfterThoseThatWereNotTried() {
        statuses.put("a", 500);
        refuse("a", "b", "c");
        triedInTurn();
        now = now.plus(NudgeRateLimit.FIRST);
        statuses.clear();

        assertThat(triedInTurn()).containsExactly("b", "c", "a");
    }

    private static final int NOT_JSON = 1000;

    private void answer(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var name = path.substring(path.lastIndexOf('/') + 1);
        if (!tried.contains(name)) { // the client reads a pod before it patches it
            tried.add(name);
        }
        int status = statuses.getOrDefault(name, 200);
        var body = status >= NOT_JSON
                ? "this is no pod"
                : status == 200
                        ? "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\"}}".formatted(name)
                        : "{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"status\":\"Failure\",\"code\":%d}"
                                .formatted(status);
        try (exchange) {
            var bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(status % NOT_JSON, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Refuses a node to pods, and then makes the node usable for them again. */
    private void refuse(String... names) {
        index.put(removing(HEAVY));
        for (var name : names) {
            var asked = TieredPod.of(PodFacts.of(pod(name, "heavy", 1, 1)), CATALOGUE);
            var nodes = nodes(index, List.of("heavy"));
            waiting.filtered(asked, nodes, filter.judge(asked, nodes));
        }
        index.put(HEAVY);
    }

    private List<String> triedInTurn() {
        tried.clear();
        now = now.plusMillis(250);
        nudger.turn();
        return List.copyOf(tried);
    }

    private double count(String outcome) {
        return registry.get("trainyard.extender.nudges")
                .tag("outcome", outcome)
                .counter()
                .count();
    }
}
