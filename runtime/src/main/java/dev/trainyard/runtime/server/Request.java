package dev.trainyard.runtime.server;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An HTTP request, as handlers see it.
 *
 * @param path path without the query
 * @param query raw query without the {@code ?}; empty if there is none
 * @param body body; empty if there is none; never longer than the server's limit
 * @param clientName common name of the verified client certificate; empty unless the server requires client certificates
 * @param warmUp whether this process sent the request to itself with {@link WarmUp}; other callers cannot forge this mark
 * @param end end of the time for the handler's work, on the scale of {@link System#nanoTime}; empty if there is no limit
 */
public record Request(
        String path, String query, Buffer body, Optional<String> clientName, boolean warmUp, OptionalLong end) {

    /** Creates a request of another process, without a time limit. */
    public Request(String path, String query, Buffer body, Optional<String> clientName) {
        this(path, query, body, clientName, false, OptionalLong.empty());
    }

    /** Whether the time for the handler's work has passed. If so, the caller has already got an error, and gets no other answer. */
    public boolean isOverdue() {
        return end.isPresent() && System.nanoTime() - end.getAsLong() >= 0;
    }

    /** Returns the first value of a query parameter, decoded; empty if there is none. */
    public Optional<String> parameter(String name) {
        return parameter(query, name);
    }

    /** Returns the first value of a parameter; empty if there is none or the query cannot be decoded. */
    static Optional<String> parameter(String query, String name) {
        try {
            Map<String, List<String>> parameters = new QueryStringDecoder(query, false).parameters();
            return Optional.ofNullable(parameters.get(name)).map(values -> values.get(0));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
