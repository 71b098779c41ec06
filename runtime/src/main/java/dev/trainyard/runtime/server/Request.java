package dev.trainyard.runtime.server;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a handler sees of an HTTP request.
 *
 * @param path without the query
 * @param query as it was sent, without the {@code ?}; empty when there is none
 * @param body empty when there is none; never longer than the server allows
 * @param clientName common name of the verified client certificate; empty unless the server requires one
 */
public record Request(String path, String query, Buffer body, Optional<String> clientName) {
    /** The first value of a query parameter, decoded. */
    public Optional<String> parameter(String name) {
        Map<String, List<String>> parameters = new QueryStringDecoder(query, false).parameters();
        return Optional.ofNullable(parameters.get(name)).map(values -> values.get(0));
    }
}
