package dev.trainyard.e2e;

import dev.trainyard.certs.CertificateAuthority;
import dev.trainyard.certs.LeafRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A registry of the distribution project on a free loopback port, with TLS by its own CA. {@code TRAINYARD_REGISTRY} replaces the program
 * that {@code workshop/e2e/registry/go.mod} pins.
 */
final class RegistryProcess implements AutoCloseable {

    private static final Pattern LISTENING = Pattern.compile("listening on 127\\.0\\.0\\.1:(\\d+), tls");
    private static final Path SYSTEM_CERTIFICATES = Path.of("/etc/ssl/certs/ca-certificates.crt");
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Process process;
    private final String address;
    private final Map<String, String> trust;
    private final HttpClient client;

    private RegistryProcess(Process process, String address, Map<String, String> trust, HttpClient client) {
        this.process = process;
        this.address = address;
        this.trust = trust;
        this.client = client;
    }

    /** @param directory directory for the registry's certificates, log and pushed content */
    static RegistryProcess start(Path directory) throws IOException, InterruptedException, GeneralSecurityException {
        var program = GoTool.find(
                        "workshop/e2e/registry",
                        "github.com/distribution/distribution/v3/cmd/registry",
                        "TRAINYARD_REGISTRY")
                .program();
        var authority = CertificateAuthority.create("registry", Duration.ofDays(1), Clock.systemUTC());
        var leaf = authority.issue(LeafRequest.forServer("registry").withDnsNames("localhost"), Instant.now());
        var certificate = Files.writeString(directory.resolve("tls.crt"), leaf.certificatePem());
        var key = Files.writeString(directory.resolve("tls.key"), leaf.keyPem());
        var configuration = Files.writeString(
                directory.resolve("registry.yaml"), """
                version: 0.1
                storage: {filesystem: {rootdirectory: %s}}
                http: {addr: "127.0.0.1:0", tls: {certificate: %s, key: %s}}
                """.formatted(directory.resolve("pushed"), certificate, key));
        var log = directory.resolve("registry.log");
        var process = new ProcessBuilder(program.toString(), "serve", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            var address = "localhost:" + port(process, log);
            var store = trustStore(authority);
            return new RegistryProcess(process, address, trust(authority, store, directory), client(store));
        } catch (IOException | InterruptedException | GeneralSecurityException | AssertionError e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /** Returns host and port. */
    String address() {
        return address;
    }

    /** Returns environment variables that make Helm and the launcher trust this registry's CA in addition to their other CAs. */
    Map<String, String> trust() {
        return trust;
    }

    /** Sends a GET request to the registry; {@code path} is relative to {@code /v2/}. */
    HttpResponse<byte[]> get(String path, String accept) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("https://%s/v2/%s".formatted(address, path)))
                .header("Accept", accept)
                .build();
        return client.send(request, BodyHandlers.ofByteArray());
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }

    private static String port(Process process, Path log) throws IOException, InterruptedException {
        var end = Instant.now().plusSeconds(60);
        while (Instant.now().isBefore(end) && process.isAlive()) {
            var listening = LISTENING.matcher(Files.readString(log));
            if (listening.find()) {
                return listening.group(1);
            }
            Thread.sleep(100);
        }
        throw new AssertionError("the registry does not listen: " + Files.readString(log));
    }

    private static Map<String, String> trust(CertificateAuthority authority, KeyStore store, Path directory)
            throws IOException, GeneralSecurityException {
        var bundle = directory.resolve("ca-certificates.crt");
        var others = Files.exists(SYSTEM_CERTIFICATES) ? Files.readString(SYSTEM_CERTIFICATES) : "";
        Files.writeString(bundle, others + authority.certificatePem());
        var file = directory.resolve("cacerts");
        try (var out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD);
        }
        var options = "-Djavax.net.ssl.trustStore=%s -Djavax.net.ssl.trustStorePassword=%s"
                .formatted(file, new String(PASSWORD));
        return Map.of("SSL_CERT_FILE", bundle.toString(), "TRAINYARD_JAVA_OPTS", options);
    }

    private static KeyStore trustStore(CertificateAuthority authority) throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, PASSWORD);
        store.setCertificateEntry(
                "registry",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(
                                authority.certificatePem().getBytes(StandardCharsets.US_ASCII))));
        return store;
    }

    private static HttpClient client(KeyStore store) throws GeneralSecurityException {
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }
}
