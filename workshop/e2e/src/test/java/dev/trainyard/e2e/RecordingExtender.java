package dev.trainyard.e2e;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An extender that refuses every node, and records the nodes in its calls. These nodes have passed the scheduler's own filters.
 * Thread-safe.
 */
final class RecordingExtender implements AutoCloseable {

    /** The scheduler's message for the nodes that this extender refused. */
    static final String REFUSED = "node(s) that only the extender refused";

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;
    private final Map<String, Set<String>> nodesLeft = new ConcurrentHashMap<>();

    RecordingExtender() {
        server = vertx.createHttpServer().requestHandler(this::answer);
        server.listen(0, "127.0.0.1").await();
    }

    /** Returns the configuration of a scheduler that calls this extender, for pods with {@code schedulerName}. */
    String configuration(String schedulerName) {
        return """
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                # A pod is judged once here; trying again would be in the way of those that follow.
                podInitialBackoffSeconds: 600
                podMaxBackoffSeconds: 600
                profiles: [{schedulerName: %s, percentageOfNodesToScore: 100}]
                extenders:
                  - urlPrefix: http://127.0.0.1:%d
                    filterVerb: filter
                    nodeCacheCapable: true
                    httpTimeout: 20s
                """.formatted(schedulerName, server.actualPort());
    }

    /** Returns the nodes in the call about the pod; empty if there was no call, because no node had passed. */
    Set<String> nodesLeftFor(String podUid) {
        return nodesLeft.getOrDefault(podUid, Set.of());
    }

    private void answer(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            var asked = body.toJsonObject();
            var nodes = new TreeSet<String>();
            asked.getJsonArray("NodeNames").forEach(name -> nodes.add((String) name));
            nodesLeft.put(asked.getJsonObject("Pod").getJsonObject("metadata").getString("uid"), nodes);
            var refused = new JsonObject();
            nodes.forEach(name -> refused.put(name, REFUSED));
            request.response()
                    .putHeader("Content-Type", "application/json")
                    .end(new JsonObject()
                            .put("NodeNames", new JsonArray())
                            .put("FailedNodes", new JsonObject())
                            .put("FailedAndUnresolvableNodes", refused)
                            .encode());
        });
    }

    @Override
    public void close() {
        vertx.close().await();
    }
}
