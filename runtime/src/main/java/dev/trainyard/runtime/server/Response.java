package dev.trainyard.runtime.server;

import io.vertx.core.buffer.Buffer;

/** An HTTP response: the answer of a handler, or the result of a call by {@link HttpsClient}. */
public record Response(int status, String contentType, Buffer body) {
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    /** Returns a response of status 200 with a JSON document. */
    public static Response json(Buffer body) {
        return new Response(200, JSON, body);
    }

    /** Returns a response with a line of text for people; a missing line end is added. */
    public static Response text(int status, String text) {
        return new Response(status, TEXT, Buffer.buffer(text.endsWith("\n") ? text : text + "\n"));
    }
}
