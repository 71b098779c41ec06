package dev.trainyard.runtime.server;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a handler sees of an HTTP request.
 *
 * @param path without the query
 * @param query as it was sent, without the {@code ?}; empty when there is none
 * @param body empty when there is none; never longer than the server allows
 * @param clientName common name of the verified client certificate; empty unless the server requires one
 * @param warmUp whether this process sent it to itself with {@link WarmUp}, which nobody else can pretend
 * @param end when the time for its work ends, as {@link System#nanoTime} counts; empty if nothing limits that time
 */
public record Request(
        String path, String query, Buffer body, Optional<String> clientName, boolean warmUp, OptionalLong end) {

    /** A request from elsewhere. */
    public Request(String path, String query, Buffer body, Optional<String> clientName) {
        this(path, query, body, clientName, false, OptionalLong.empty());
    }

    /** Whether the time for its work is over: the caller was told so, and gets no other answer. */
    public boolean isOverdue() {
        return end.isPresent() && System.nanoTime() - end.getAsLong() >= 0;
    }

    /** The first value of a query parameter, decoded. */
    public Optional<String> parameter(String name) {
        return parameter(query, name);
    }

    /** A query that cannot be decoded has none. */
    static Optional<String> parameter(String query, String name) {
        try {
            Map<String, List<String>> parameters = new QueryStringDecoder(query, false).parameters();
            return Optional.ofNullable(parameters.get(name)).map(values -> values.get(0));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
