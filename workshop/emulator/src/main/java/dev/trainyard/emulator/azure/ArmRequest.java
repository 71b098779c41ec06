package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A request to Azure.
 *
 * @param headers the first value of each header, by name in lower case
 * @param body the JSON body; an empty object if the request has no JSON body, as in requests for tokens
 */
public record ArmRequest(
        String method, String path, Map<String, String> query, Map<String, String> headers, ObjectNode body) {

    static final ObjectMapper JSON = new ObjectMapper();

    static ArmRequest of(HttpExchange exchange) throws IOException {
        var uri = exchange.getRequestURI();
        var query = new LinkedHashMap<String, String>();
        if (uri.getQuery() != null) {
            for (var pair : uri.getQuery().split("&", -1)) {
                int equals = pair.indexOf('=');
                query.put(equals < 0 ? pair : pair.substring(0, equals), equals < 0 ? "" : pair.substring(equals + 1));
            }
        }
        var headers = new LinkedHashMap<String, String>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        var text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        return new ArmRequest(exchange.getRequestMethod(), uri.getPath(), query, headers, body(text));
    }

    private static ObjectNode body(String text) throws JsonProcessingException {
        return text.startsWith("{") && JSON.readTree(text) instanceof ObjectNode json ? json : JSON.createObjectNode();
    }

    /** Whether the request asks for a change. */
    public boolean changes() {
        return !method.equals("GET");
    }

    /** Returns the path in lower case, because Azure ignores case. */
    String lowerPath() {
        return path.toLowerCase(Locale.ROOT);
    }

    /** Returns the last part of the path. */
    public String last() {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
