package dev.trainyard.bench.load;

import dev.trainyard.bench.process.BenchException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A detector of the ends of HTTP/1.1 responses in the bytes of a connection. Supports only the answers of the servers under measurement:
 * status 200 with a {@code Content-Length}. A full HTTP client would use as much CPU as the server under measurement. For one connection
 * and one thread.
 */
final class ResponseFraming {

    private static final String OK = "HTTP/1.1 200 ";
    private static final String LENGTH = "content-length:";
    private static final int LONGEST_HEAD = 8192;

    private byte[] head = new byte[0];
    private byte[] body = new byte[0];
    private int bodyBytesLeft;

    /**
     * Takes the next bytes of the connection, which belong to one response.
     *
     * @return whether these bytes end a response
     * @throws BenchException if the response has another status or no length; the message shows the response's head
     */
    boolean ends(byte[] bytes) {
        if (bodyBytesLeft > 0) {
            return takeBody(bytes, 0);
        }
        var begun = head.length == 0 ? bytes : concatenated(head, bytes);
        int bodyStart = endOfHead(begun);
        if (bodyStart < 0) {
            if (begun.length > LONGEST_HEAD) {
                throw new BenchException("the response's head has not ended after %d bytes".formatted(begun.length));
            }
            head = begun;
            return false;
        }
        head = new byte[0];
        bodyBytesLeft = contentLength(new String(begun, 0, bodyStart, StandardCharsets.ISO_8859_1));
        body = new byte[bodyBytesLeft];
        return takeBody(begun, bodyStart);
    }

    /** Returns the body of the last response. The body is complete after {@link #ends} returned true. */
    byte[] lastBody() {
        return body;
    }

    private boolean takeBody(byte[] bytes, int from) {
        int count = bytes.length - from;
        if (count > bodyBytesLeft) {
            throw new BenchException(
                    "the response has %d bytes more than its Content-Length".formatted(count - bodyBytesLeft));
        }
        System.arraycopy(bytes, from, body, body.length - bodyBytesLeft, count);
        bodyBytesLeft -= count;
        return bodyBytesLeft == 0;
    }

    private static int endOfHead(byte[] bytes) {
        for (int i = 3; i < bytes.length; i++) {
            if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n' && bytes[i - 3] == '\r') {
                return i + 1;
            }
        }
        return -1;
    }

    private static int contentLength(String head) {
        int at = head.toLowerCase(Locale.ROOT).indexOf(LENGTH);
        if (!head.startsWith(OK) || at < 0) {
            throw new BenchException("expected status 200 with a Content-Length, got: " + head.strip());
        }
        int end = head.indexOf('\r', at);
        return Integer.parseInt(head.substring(at + LENGTH.length(), end).strip());
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        var both = new byte[first.length + second.length];
        System.arraycopy(first, 0, both, 0, first.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
