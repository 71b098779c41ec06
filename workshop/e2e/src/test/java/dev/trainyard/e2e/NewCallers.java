package dev.trainyard.e2e;

import dev.trainyard.certs.TlsMaterial;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.net.ssl.SSLSocket;

/** A loop that opens new TLS connections, like an API server that has just started and knows only the current CA bundle. */
final class NewCallers implements AutoCloseable {

    private static final int EVERY_MILLIS = 100;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger shaken = new AtomicInteger();

    NewCallers(Supplier<String> bundle, List<Integer> ports) {
        var unused = thread.scheduleWithFixedDelay(() -> call(bundle, ports), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Returns the number of successful handshakes. */
    int shaken() {
        return shaken.get();
    }

    void stop() throws InterruptedException {
        thread.shutdown();
        thread.awaitTermination(20, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void call(Supplier<String> bundle, List<Integer> ports) {
        for (int port : ports) {
            try {
                issuer(port, bundle.get());
                shaken.incrementAndGet();
            } catch (RuntimeException e) {
                failures.add(Instant.now() + " port " + port + ": " + e);
            }
        }
    }

    /** Connects to a loopback port, verifies its certificate with {@code caPem}, and returns the name of the certificate's CA. */
    static String issuer(int port, String caPem) {
        var context = new TlsMaterial(caPem, "", "", Instant.EPOCH).sslContextWithoutCertificate();
        try (var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(20_000);
            socket.startHandshake();
            var leaf = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            var name = new LdapName(leaf.getIssuerX500Principal().getName());
            return String.valueOf(name.getRdn(name.size() - 1).getValue());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InvalidNameException e) {
            throw new IllegalStateException(e);
        }
    }

    static String text(String url) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
                .body();
    }
}
