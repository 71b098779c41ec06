package dev.trainyard.runtime.server;

import io.vertx.core.buffer.Buffer;

/** An HTTP response: what a handler gives, and what {@link HttpsClient} gets. */
public record Response(int status, String contentType, Buffer body) {
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    /** Status 200 with a JSON document. */
    public static Response json(Buffer body) {
        return new Response(200, JSON, body);
    }

    /** A line of text for a human; a line end is added. */
    public static Response text(int status, String text) {
        return new Response(status, TEXT, Buffer.buffer(text.endsWith("\n") ? text : text + "\n"));
    }
}
