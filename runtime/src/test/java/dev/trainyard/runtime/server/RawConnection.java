package dev.trainyard.runtime.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A TLS connection on which a test writes what no HTTP client would. */
final class RawConnection implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 20_000;
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)");

    private final SSLSocket socket;

    RawConnection(SSLContext context, int port) throws IOException {
        socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.startHandshake();
    }

    RawConnection send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    /** The next response, head and body; empty when the server has closed. */
    String receive() throws IOException {
        var in = socket.getInputStream();
        var head = head(in);
        var length = LENGTH.matcher(head);
        var body = length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : new byte[0];
        return head + new String(body, ISO_8859_1);
    }

    /** The head of the next response, of which there may be no more. */
    String head() throws IOException {
        return head(socket.getInputStream());
    }

    /** Waits for it. */
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
