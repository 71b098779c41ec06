package dev.trainyard.image;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * An image registry on loopback that keeps images in memory, and refuses contents with a wrong digest. It has the part of the OCI
 * distribution specification 1.1 that Jib needs (end points end-1 to end-7, uploads by PATCH), over TLS with a certificate of its own CA.
 */
final class LoopbackRegistry implements AutoCloseable {

    private static final Pattern UPLOAD = Pattern.compile("/v2/(.+)/blobs/uploads/(\\w*)");
    private static final Pattern BLOB = Pattern.compile("/v2/(.+)/blobs/(sha256:\\w+)");
    private static final Pattern MANIFEST = Pattern.compile("/v2/(.+)/manifests/(.+)");
    private static final char[] NO_PASSWORD = {};
    private static final ObjectMapper JSON = new ObjectMapper();

    private record Manifest(String type, byte[] bytes) {}

    private final Map<String, byte[]> blobs = new ConcurrentHashMap<>();
    private final Map<String, Manifest> manifests = new ConcurrentHashMap<>();
    private final Map<String, ByteArrayOutputStream> uploads = new ConcurrentHashMap<>();
    private final AtomicInteger number = new AtomicInteger();
    private final AtomicInteger uploaded = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final SSLContext tls = ownAuthority();
    private final HttpsServer server;
    private volatile boolean closedToStrangers;

    LoopbackRegistry() throws IOException {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Starts to refuse all requests as unauthenticated. */
    void closeToStrangers() {
        closedToStrangers = true;
    }

    /** Returns a context that trusts only this registry. */
    SSLContext tls() {
        return tls;
    }

    String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns the manifest that was pushed with this tag or digest. */
    JsonNode manifest(String reference) throws IOException {
        return JSON.readTree(manifests.get(reference).bytes());
    }

    byte[] blob(String digest) {
        return blobs.get(digest);
    }

    /** Returns the number of uploaded blobs. */
    int uploaded() {
        return uploaded.get();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var path = exchange.getRequestURI().getPath();
            if (closedToStrangers) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"registry\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            var upload = UPLOAD.matcher(path);
            var blob = BLOB.matcher(path);
            var manifest = MANIFEST.matcher(path);
            if (path.equals("/v2/")) {
                exchange.sendResponseHeaders(200, -1);
            } else if (upload.matches()) {
                upload(exchange, upload.group(1), upload.group(2));
            } else if (blob.matches()) {
                give(exchange, "application/octet-stream", blobs.get(blob.group(2)));
            } else if (manifest.matches()) {
                manifest(exchange, manifest.group(2));
            } else {
                exchange.sendResponseHeaders(404, -1);
            }
        }
    }

    private void upload(HttpExchange exchange, String image, String id) throws IOException {
        var place = id.isEmpty() ? "u" + number.incrementAndGet() : id;
        var upload = uploads.computeIfAbsent(place, key -> new ByteArrayOutputStream());
        upload.write(exchange.getRequestBody().readAllBytes());
        exchange.getResponseHeaders().set("Location", "/v2/%s/blobs/uploads/%s".formatted(image, place));
        if (!exchange.getRequestMethod().equals("PUT")) {
            exchange.sendResponseHeaders(202, -1);
            return;
        }
        uploads.remove(place);
        var claimed = exchange.getRequestURI().getQuery().replaceFirst(".*digest=", "");
        if (!digest(upload.toByteArray()).equals(claimed)) {
            exchange.sendResponseHeaders(400, -1);
            return;
        }
        blobs.put(claimed, upload.toByteArray());
        uploaded.incrementAndGet();
        exchange.sendResponseHeaders(201, -1);
    }

    private void manifest(HttpExchange exchange, String reference) throws IOException {
        if (!exchange.getRequestMethod().equals("PUT")) {
            var found = manifests.get(reference);
            give(exchange, found == null ? "" : found.type(), found == null ? null : found.bytes());
            return;
        }
        var bytes = exchange.getRequestBody().readAllBytes();
        for (var layer : JSON.readTree(bytes).get("layers")) {
            if (!blobs.containsKey(layer.get("digest").asText())) {
                exchange.sendResponseHeaders(400, -1); // MANIFEST_BLOB_UNKNOWN
                return;
            }
        }
        var manifest = new Manifest(exchange.getRequestHeaders().getFirst("Content-Type"), bytes);
        manifests.put(reference, manifest);
        manifests.put(digest(bytes), manifest);
        exchange.getResponseHeaders().set("Docker-Content-Digest", digest(bytes));
        exchange.sendResponseHeaders(201, -1);
    }

    private static void give(HttpExchange exchange, String type, byte[] bytes) throws IOException {
        if (bytes == null) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Docker-Content-Digest", digest(bytes));
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", "" + bytes.length);
            exchange.sendResponseHeaders(200, -1);
            return;
        }
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static SSLContext ownAuthority() {
        var authority = CertificateAuthority.create("registry", Duration.ofHours(1), Clock.systemUTC());
        var leaf = authority.issue(LeafRequest.forServer("registry").withIpAddresses("127.0.0.1"), Instant.now());
        try {
            var der = Base64.getMimeDecoder().decode(leaf.keyPem().replaceAll("-----[A-Z ]+-----", ""));
            var key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry("registry", key, NO_PASSWORD, new Certificate[] {certificate(leaf.certificatePem())});
            store.setCertificateEntry("authority", certificate(authority.certificatePem()));
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, NO_PASSWORD);
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Certificate certificate(String pem) throws CertificateException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem.getBytes(US_ASCII)));
    }

    static String digest(byte[] bytes) {
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
