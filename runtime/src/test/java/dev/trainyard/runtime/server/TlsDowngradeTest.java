package dev.trainyard.runtime.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.certs.LeafRequest;
import dev.trainyard.certs.SharedAuthority;
import dev.trainyard.certs.TlsMaterial;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the server accepts no less than TLS 1.2 with forward secrecy and authenticated encryption. */
class TlsDowngradeTest {

    private static final String PROTOCOL_VERSION_ALERT = "46";

    @TempDir
    private Path directory;

    /** The kind of key of the server's certificate: ECDSA is ours, and RSA is cert-manager's default. */
    private enum Key {
        ECDSA,
        RSA
    }

    @ParameterizedTest
    @CsvSource({"SSL 3.0, 0300", "TLS 1.0, 0301", "TLS 1.1, 0302"})
    void olderProtocolsAreRefused(String name, String version) throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS);
                var socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
            socket.setSoTimeout(10_000);
            // A ClientHello that offers no newer version, with three cipher suites of that time.
            var hello = version + "00".repeat(32) + "00" + "0006" + "c009c013002f" + "0100";
            var handshake = "010000" + HexFormat.of().toHexDigits((byte) (hello.length() / 2)) + hello;
            var message = "160300" + "00" + HexFormat.of().toHexDigits((byte) (handshake.length() / 2)) + handshake;
            socket.getOutputStream().write(HexFormat.of().parseHex(message));

            var alert = HexFormat.of().formatHex(socket.getInputStream().readNBytes(7));

            assertThat(alert).as(name).startsWith("15").endsWith("02" + PROTOCOL_VERSION_ALERT);
        }
    }

    @ParameterizedTest
    @EnumSource(Key.class)
    void onlySuitesWithForwardSecrecyAndAuthenticatedEncryptionAreSpoken(Key key) throws Exception {
        var trust = key == Key.RSA ? rsaCertificate(directory) : "";
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS)) {
            var context = key == Key.RSA
                    ? new TlsMaterial(trust, "", "", Instant.EPOCH).sslContextWithoutCertificate()
                    : fixture.tls.current().sslContextWithoutCertificate();
            var spoken = new TreeSet<String>();
            for (var suite : context.getSupportedSSLParameters().getCipherSuites()) {
                for (var protocol : List.of("TLSv1.2", "TLSv1.3")) {
                    if (speaks(context, fixture, protocol, suite)) {
                        spoken.add(suite);
                    }
                }
            }

            assertThat(spoken)
                    .contains("TLS_AES_128_GCM_SHA256", "TLS_ECDHE_%s_WITH_AES_128_GCM_SHA256".formatted(key))
                    .allMatch(
                            suite -> suite.matches(
                                    "TLS_((ECDHE_(ECDSA|RSA)_WITH_)?AES_(128|256)_GCM|(ECDHE_(ECDSA|RSA)_WITH_)?CHACHA20_POLY1305)_SHA(256|384)"));
        }
    }

    /** Renegotiation would cost the server a handshake each time, and the caller nothing. */
    @Test
    void aCallerMayNotShakeHandsTwiceOnAConnection() throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS);
                var socket = connect(fixture.tls.current().sslContextWithoutCertificate(), fixture)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.startHandshake();

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        socket.getInputStream().read();
                    })
                    .isInstanceOf(SSLException.class);
        }
    }

    @Test
    void plainHttpIsNotAnsweredOnThePortForTls() throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS);
                var socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream()
                    .write("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
                            .getBytes(StandardCharsets.US_ASCII));

            var answer = answer(socket);

            assertThat(answer).doesNotContain("HTTP", "{}").hasSizeLessThan(10);
            assertThat(fixture.metrics.scrape())
                    .contains("trainyard_http_connection_failures_total{component=\"webhook\"} 1")
                    .doesNotContain("path=\"/echo\"");
        }
    }

    @Test
    void aNameThatIsNotOursGetsTheOneCertificateThatThereIs() throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS);
                var socket = connect(fixture.tls.current().sslContextWithoutCertificate(), fixture)) {
            var parameters = socket.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName("scaler.somewhere.example")));
            socket.setSSLParameters(parameters);

            // The server accepts any requested name, because the caller verifies the name in the certificate.
            assertThat(handshakeSucceeds(socket)).isTrue();
            assertThat(socket.getSession().getPeerPrincipal().getName()).isEqualTo("CN=webhook");
        }
    }

    @Test
    void aCertificateForServersIsNoneForClients() throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withClientCertificates())) {
            assertThat(isServed(fixture, LeafRequest.forClient("scheduler"), Instant.now()))
                    .isTrue();
            assertThat(isServed(fixture, LeafRequest.forServer("scaler"), Instant.now()))
                    .isFalse();
        }
    }

    @Test
    void aClientCertificateThatIsOverIsNone() throws Exception {
        try (var fixture = new ServerFixture(directory, ServerFixture.OPTIONS.withClientCertificates())) {
            var wanted = LeafRequest.forClient("scheduler").withValidity(Duration.ofSeconds(1));

            assertThat(isServed(fixture, wanted, Instant.now().minusSeconds(60)))
                    .isFalse();
        }
    }

    private boolean isServed(ServerFixture fixture, LeafRequest wanted, Instant issued) throws Exception {
        var pem = Files.readString(directory.resolve("ca.crt"));
        var authority =
                SharedAuthority.read(Map.of("ca.crt", pem, "ca.key", Files.readString(directory.resolve("ca.key"))));
        var leaf = authority.signer().issue(wanted, issued);
        var context = new TlsMaterial(pem, leaf.certificatePem(), leaf.keyPem(), Instant.EPOCH).sslContext();
        try {
            return fixture.jdkPost(context, "/echo", new byte[0]).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean speaks(SSLContext context, ServerFixture fixture, String protocol, String suite)
            throws IOException {
        try (var socket = connect(context, fixture)) {
            socket.setEnabledProtocols(new String[] {protocol});
            socket.setEnabledCipherSuites(new String[] {suite});
            return handshakeSucceeds(socket);
        }
    }

    private static boolean handshakeSucceeds(SSLSocket socket) throws IOException {
        try {
            socket.startHandshake();
            return true;
        } catch (SSLException | SocketException e) {
            return false;
        }
    }

    private static SSLSocket connect(SSLContext context, ServerFixture fixture) throws IOException {
        var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", fixture.server.port());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (SocketException e) {
            return "";
        }
    }

    /** Writes an RSA certificate into the directory, as a user would; returns the CA to trust. */
    private static String rsaCertificate(Path directory) throws Exception {
        var keys = KeyPairGenerator.getInstance("RSA");
        keys.initialize(2048);
        var pair = keys.generateKeyPair();
        var name = new X500Name("CN=webhook");
        var now = Clock.systemUTC().instant();
        var certificate = new JcaX509v3CertificateBuilder(
                        name,
                        BigInteger.ONE,
                        Date.from(now.minusSeconds(60)),
                        Date.from(now.plusSeconds(3600)),
                        name,
                        pair.getPublic())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                .build(new JcaContentSignerBuilder("SHA256withRSA").build(pair.getPrivate()));
        var pem = pem(certificate);
        Files.writeString(directory.resolve("ca.crt"), pem);
        Files.writeString(directory.resolve("tls.crt"), pem);
        Files.writeString(directory.resolve("tls.key"), pem(pair.getPrivate()));
        return pem;
    }

    private static String pem(Object object) throws IOException {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
