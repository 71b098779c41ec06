package dev.trainyard.local.binaries;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.function.LongConsumer;

/**
 * HTTP GET with short timeouts.
 *
 * <p>Uses {@link HttpURLConnection}, because the newer client does not time out if a body stalls.
 *
 * @param connect maximum time to connect
 * @param silence maximum time without a received byte
 */
record Fetch(Duration connect, Duration silence) {
    static final Fetch STANDARD = new Fetch(Duration.ofSeconds(3), Duration.ofSeconds(10));

    /** An error: a host answered with a status other than 200. Other files of the host may be available. */
    static final class NotThereException extends IOException {
        NotThereException(URI address, int status) {
            super(address + " answered " + status);
        }
    }

    String text(URI address) throws IOException {
        try (InputStream body = open(address).getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Downloads to the file and returns its SHA-256.
     *
     * @param received called regularly with the number of received bytes and the expected total (-1 if unknown)
     */
    String toFile(URI address, Path file, Received received) throws IOException {
        MessageDigest digest = Sha256.newDigest();
        HttpURLConnection connection = open(address);
        long expected = connection.getContentLengthLong();
        try (InputStream body = connection.getInputStream();
                OutputStream out = new DigestOutputStream(Files.newOutputStream(file), digest)) {
            long bytes = copy(body, out, count -> received.bytes(count, expected));
            if (expected >= 0 && bytes != expected) {
                throw new IOException(address + " ended after " + bytes + " of " + expected + " bytes");
            }
        }
        return Sha256.hex(digest);
    }

    /** A listener for the progress of a download. */
    interface Received {
        void bytes(long soFar, long expected);
    }

    private static long copy(InputStream in, OutputStream out, LongConsumer received) throws IOException {
        byte[] buffer = new byte[256 * 1024];
        long total = 0;
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            out.write(buffer, 0, count);
            total += count;
            received.accept(total);
        }
        return total;
    }

    private HttpURLConnection open(URI address) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        connection.setConnectTimeout((int) connect.toMillis());
        connection.setReadTimeout((int) silence.toMillis());
        int status = connection.getResponseCode();
        if (status != 200) {
            throw new NotThereException(address, status);
        }
        return connection;
    }
}
