package dev.trainyard.emulator;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.TlsMaterial;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTPS server on a free port of loopback. A private certificate authority signs its certificate. Thread-safe. */
public final class LoopbackServer implements AutoCloseable {

    static {
        // Without this property, the header and the body of an answer are two packets. The second packet would wait 40
        // ms for the client's delayed acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private static final CertificateAuthority AUTHORITY =
            CertificateAuthority.create("emulated cloud", Duration.ofDays(1), Clock.systemUTC());
    private static final TlsMaterial TLS = tls();

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        var thread = new Thread(task, "emulated-cloud");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Starts the server.
     *
     * @param handler the handler of all requests; called from several threads at a time
     * @throws UncheckedIOException if the server cannot get a port
     */
    public LoopbackServer(HttpHandler handler) {
        try {
            server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException("no free port on loopback", e);
        }
        server.setHttpsConfigurator(new HttpsConfigurator(TLS.sslContext()));
        server.setExecutor(threads);
        server.createContext("/", handler);
        server.start();
    }

    public URI url() {
        return URI.create("https://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Returns the certificate of the authority, in PEM. */
    public String authorityPem() {
        return AUTHORITY.certificatePem();
    }

    private static TlsMaterial tls() {
        var leaf = AUTHORITY.issue(
                LeafRequest.forServer("localhost").withIpAddresses("127.0.0.1"),
                Clock.systemUTC().instant());
        return new TlsMaterial(AUTHORITY.certificatePem(), leaf.certificatePem(), leaf.keyPem(), AUTHORITY.notAfter());
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
