package dev.trainyard.runtime.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A TLS connection for tests that write bytes which no HTTP client would send. */
final class RawConnection implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 20_000;
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)");

    private final SSLSocket socket;

    RawConnection(SSLContext context, int port) throws IOException {
        socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.startHandshake();
    }

    RawConnection send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** Returns the next response, head and body; empty if the server has closed the connection. */
    String receive() throws IOException {
        var in = socket.getInputStream();
        var head = head(in);
        var length = LENGTH.matcher(head);
        var body = length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : new byte[0];
        return head + new String(body, ISO_8859_1);
    }

    /** Returns the head of the next response, even if no body follows. */
    String head() throws IOException {
        return head(socket.getInputStream());
    }

    /** Whether the server closes the connection without sending another byte. Waits for the close or for the byte. */
    boolean isClosedByServer() throws IOException {
        return socket.getInputStream().read() < 0;
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            head.append((char) next);
            if (head.toString().endsWith("\r\n\r\n")) {
                break;
            }
        }
        return head.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
