package dev.trainyard.scaler.kwok;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A fake API server with the calls that the kwok provider needs. Objects can be created and read, and replaced if their version has not
 * changed.
 */
final class ObjectServer implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, ObjectNode> objects = new ConcurrentHashMap<>();
    private final HttpServer server;
    private int versions;
    private boolean deafToAnswer;

    ObjectServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Makes the server carry out the next change but lose its answer. */
    void loseAnswer() {
        deafToAnswer = true;
    }

    @Override
    public void close() {
        server.stop(0);
    }

    private synchronized void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            var body = exchange.getRequestBody().readAllBytes();
            var path = exchange.getRequestURI().getPath();
            switch (exchange.getRequestMethod()) {
                case "GET" -> answer(exchange, objects.containsKey(path) ? 200 : 404, objects.get(path));
                case "POST" -> {
                    var object = (ObjectNode) JSON.readTree(body);
                    var key = path + "/" + object.path("metadata").path("name").asText();
                    boolean there = objects.containsKey(key);
                    answer(exchange, there ? 409 : 201, there ? null : stored(key, object));
                }
                case "PUT" -> {
                    var object = (ObjectNode) JSON.readTree(body);
                    boolean stale =
                            !objects.containsKey(path) || !version(object).equals(version(objects.get(path)));
                    answer(exchange, stale ? 409 : 200, stale ? null : stored(path, object));
                }
                default -> answer(exchange, 405, null);
            }
        }
    }

    private ObjectNode stored(String key, ObjectNode object) {
        object.withObject("/metadata").put("resourceVersion", String.valueOf(++versions));
        objects.put(key, object);
        return object;
    }

    private static String version(ObjectNode object) {
        return object.path("metadata").path("resourceVersion").asText();
    }

    private void answer(HttpExchange exchange, int code, ObjectNode object) throws IOException {
        if (deafToAnswer && object != null && !exchange.getRequestMethod().equals("GET")) {
            deafToAnswer = false;
            return;
        }
        var body = JSON.writeValueAsBytes(
                object != null
                        ? object
                        : JSON.createObjectNode()
                                .put("kind", "Status")
                                .put("apiVersion", "v1")
                                .put("code", code));
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, body.length);
        exchange.getResponseBody().write(body);
    }
}
