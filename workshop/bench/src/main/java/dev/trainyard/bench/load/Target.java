package dev.trainyard.bench.load;

import dev.trainyard.certs.PemKeyPair;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The address of a server, and the TLS material to reach it.
 *
 * @param caPem CA that verifies the server's certificate, which must be valid for {@code localhost}
 * @param client client certificate and key; null if the server does not request a client certificate
 */
public record Target(int port, String caPem, @Nullable PemKeyPair client) {

    /** Returns the whole request, head and body, as sent over the wire. */
    public byte[] request(String path, byte[] body) {
        var head = """
                POST %s HTTP/1.1\r
                Host: localhost:%d\r
                User-Agent: trainyard-bench\r
                Content-Type: application/json\r
                Accept: application/json\r
                Content-Length: %d\r
                \r
                """.formatted(path, port, body.length).getBytes(StandardCharsets.ISO_8859_1);
        var request = new byte[head.length + body.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }
}
