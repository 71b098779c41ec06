package dev.trainyard.runtime.server;

import static dev.trainyard.runtime.server.ServerFixture.await;
import static dev.trainyard.runtime.server.ServerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.certs.TlsDirectory;
import dev.trainyard.certs.TlsMaterial;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerTlsTest {
    @TempDir
    Path directory;

    @TempDir
    Path strangers;

    @Test
    void aRequiredClientCertificateNamesTheClient() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withClientCertificates())) {
            HttpsClient client = fixture.client(fixture.tls);

            assertThat(await(client.post(fixture.url("/who"), text(""))).body()).hasToString("webhook\n");
            assertThat(await(client.post(fixture.url("/who"), text(""))).body()).hasToString("webhook\n");
        }
    }

    @Test
    void aClientWithoutCertificateOrWithOneOfAnotherCaIsNotServed() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withClientCertificates())) {
            TlsMaterial ours = fixture.tls.current();
            TlsDirectory foreign = TlsDirectory.open(strangers, ServerFixture.LEAF, Clock.systemUTC());
            // Trusts our CA, but presents a certificate of the other CA.
            Path mixed = Files.createDirectory(strangers.resolve("mixed"));
            Files.writeString(mixed.resolve("ca.crt"), foreign.caPem() + ours.caPem());
            Files.writeString(mixed.resolve("tls.crt"), foreign.certificatePem());
            Files.writeString(mixed.resolve("tls.key"), foreign.keyPem());
            SSLContext stranger = TlsDirectory.open(mixed, ServerFixture.LEAF, Clock.systemUTC())
                    .current()
                    .sslContext();

            assertThatThrownBy(() -> fixture.jdkPost(ours.sslContextWithoutCertificate(), "/echo", new byte[0]))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> fixture.jdkPost(stranger, "/echo", new byte[0]))
                    .isInstanceOf(IOException.class);
            assertThat(fixture.jdkPost(ours.sslContext(), "/echo", new byte[0]).statusCode())
                    .isEqualTo(200);
            assertThat(fixture.metrics.scrape())
                    .contains("trainyard_http_connection_failures_total{component=\"webhook\"} 2");
        }
    }

    @Test
    void theClientTrustsItsCaOnlyAndVerifiesTheHostName() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ServerFixture.OPTIONS)) {
            HttpsClient client = fixture.client(fixture.tls);
            HttpsClient stranger = fixture.client(TlsDirectory.open(strangers, ServerFixture.LEAF, Clock.systemUTC()));
            URI otherName = URI.create("https://evil.example:" + fixture.server.port() + "/echo");
            URI goodName = URI.create("https://webhook.trainyard.svc:" + fixture.server.port() + "/echo");

            assertThatThrownBy(() -> await(stranger.post(fixture.url("/echo"), text(""))))
                    .hasMessageContaining("POST " + fixture.url("/echo") + " failed")
                    .hasMessageContaining("unable to find valid certification path");
            assertThatThrownBy(
                            () -> await(client.postVia(fixture.server.localAddress(), otherName, Map.of(), text(""))))
                    .hasMessageContaining("No subject alternative DNS name matching evil.example found");
            assertThat(await(client.postVia(fixture.server.localAddress(), goodName, Map.of(), text("")))
                            .status())
                    .isEqualTo(200);
            assertThatThrownBy(() -> await(client.get(URI.create("http://127.0.0.1/"))))
                    .hasMessageContaining("expected something like https://");
        }
    }

    @Test
    void theServerChoosesItsPreferredCipherSuiteAlsoAfterARenewal() throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS)) {
            assertThat(chosenSuites(fixture)).containsOnly(Tls.CIPHER_SUITES.get(0));

            renew(fixture);

            assertThat(chosenSuites(fixture)).containsOnly(Tls.CIPHER_SUITES.get(0));
        }
    }

    @Test
    void theServerRequiresAClientCertificateAlsoAfterARenewal() throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withClientCertificates())) {
            renew(fixture);

            var renewed = fixture.tls.current();
            assertThat(chosenSuites(fixture)).containsOnly(Tls.CIPHER_SUITES.get(0));
            assertThatThrownBy(() -> fixture.jdkPost(renewed.sslContextWithoutCertificate(), "/who", new byte[0]))
                    .isInstanceOf(IOException.class);
            assertThat(fixture.jdkPost(renewed.sslContext(), "/who", new byte[0])
                            .body())
                    .isEqualTo("webhook\n");
        }
    }

    private void renew(ServerFixture fixture) throws Exception {
        Files.delete(directory.resolve("tls.crt"));
        assertThat(await(fixture.server.reloadCertificates())).isTrue();
    }

    /** Returns the suites that the server chooses for clients that offer the same suites in different orders. */
    private static List<String> chosenSuites(ServerFixture fixture) throws IOException {
        var offered = new ArrayList<>(
                List.of("TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"));
        var chosen = new ArrayList<String>();
        for (int turn = 0; turn < offered.size(); turn++) {
            Collections.rotate(offered, 1);
            try (var socket = connect(fixture.tls.current().sslContext(), fixture)) {
                socket.setEnabledCipherSuites(offered.toArray(String[]::new));
                socket.startHandshake();
                chosen.add(socket.getSession().getCipherSuite());
            }
        }
        return chosen;
    }

    @Test
    void suitesWithoutAesArePreferredUnlessTheJvmUsesAesInstructions() {
        assertThat(Tls.cipherSuites(true)).first().asString().contains("_AES_");
        assertThat(Tls.cipherSuites(false))
                .hasSameElementsAs(Tls.cipherSuites(true))
                .startsWith(
                        "TLS_CHACHA20_POLY1305_SHA256",
                        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
                        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");
    }

    @Test
    void newConnectionsSeeNewCertificatesAndOpenOnesCarryOn() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ServerFixture.OPTIONS)) {
            SSLContext client = fixture.tls.current().sslContextWithoutCertificate();
            try (SSLSocket old = connect(client, fixture)) {
                assertThat(post(old)).startsWith("HTTP/1.1 200");
                String before = certificate(old);
                assertThat(await(fixture.server.reloadCertificates())).isFalse();

                renew(fixture);

                assertThat(post(old)).startsWith("HTTP/1.1 200");
                try (SSLSocket fresh = connect(fixture.tls.current().sslContextWithoutCertificate(), fixture)) {
                    assertThat(post(fresh)).startsWith("HTTP/1.1 200");
                    assertThat(certificate(fresh)).isNotEqualTo(before);
                    assertThat(fixture.tls.certificatePem()).contains(certificate(fresh));
                }
            }
        }
    }

    @Test
    void aPeriodicCheckFindsNewCertificatesByItself() throws Exception {
        ServerOptions often = ServerFixture.OPTIONS.withCertificateCheck(java.time.Duration.ofMillis(20));
        try (ServerFixture fixture = new ServerFixture(directory, often)) {
            SSLContext client = fixture.tls.current().sslContextWithoutCertificate();
            String before = handshake(client, fixture);

            Files.delete(directory.resolve("tls.crt"));

            long end = System.nanoTime() + 20_000_000_000L;
            String after = before;
            while (after.equals(before) && System.nanoTime() < end) {
                after = handshake(fixture.tls.current().sslContextWithoutCertificate(), fixture);
            }
            assertThat(after).isNotEqualTo(before);
        }
    }

    @Test
    void brokenFilesLeaveTheGoodCertificatesInUse() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ServerFixture.OPTIONS)) {
            Files.writeString(directory.resolve("ca.crt"), "oops");

            assertThat(await(fixture.server.reloadCertificates())).isFalse();
            assertThat(fixture.jdkPost(fixture.tls.current().sslContext(), "/echo", new byte[0])
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aClientGoesOnWithARenewedCertificate() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withClientCertificates())) {
            HttpsClient client = fixture.client(fixture.tls);
            await(client.post(fixture.url("/who"), text("")));
            for (String file : new String[] {"ca.crt", "ca.key", "tls.crt", "tls.key"}) {
                Files.delete(directory.resolve(file));
            }

            assertThat(await(fixture.server.reloadCertificates())).isTrue();

            HttpsClient fresh = fixture.client(fixture.tls);
            assertThat(await(fresh.post(fixture.url("/who"), text(""))).status())
                    .isEqualTo(200);
            assertThat(await(client.post(fixture.url("/who"), text(""))).status())
                    .isEqualTo(200);
        }
    }

    private static SSLSocket connect(SSLContext context, ServerFixture fixture) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", fixture.server.port());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static String handshake(SSLContext context, ServerFixture fixture) throws Exception {
        try (SSLSocket socket = connect(context, fixture)) {
            socket.startHandshake();
            return certificate(socket);
        }
    }

    /** Returns the body of the server's certificate in PEM. */
    private static String certificate(SSLSocket socket) throws Exception {
        X509Certificate leaf = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        return java.util.Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(leaf.getEncoded());
    }

    /** Sends a request on an open connection; the body of the response is the same two bytes. */
    private static String post(SSLSocket socket) throws IOException {
        socket.getOutputStream()
                .write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
                        .getBytes(StandardCharsets.US_ASCII));
        InputStream in = socket.getInputStream();
        StringBuilder response = new StringBuilder();
        while (response.indexOf("\r\n\r\n{}") < 0) {
            int read = in.read();
            if (read < 0) {
                throw new IOException("closed after: " + response);
            }
            response.append((char) read);
        }
        return response.toString();
    }
}
