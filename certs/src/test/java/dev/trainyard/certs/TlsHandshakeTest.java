package dev.trainyard.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests handshakes with the JDK's own TLS on loopback. Host names are verified as in HTTPS clients. */
class TlsHandshakeTest {
    private static final LeafRequest WANTED =
            LeafRequest.forServerAndClient("webhook").withDnsNames("webhook.trainyard.svc");

    @TempDir
    Path ours;

    @TempDir
    Path strangers;

    @Test
    void aClientThatTrustsTheCaIsServedUnderTheNamesOfTheCertificate() throws Exception {
        TlsMaterial tls = open(ours);

        assertThat(handshake(tls.sslContext(), tls.sslContextWithoutCertificate(), "webhook.trainyard.svc", false))
                .isEqualTo("CN=webhook");
        assertThat(handshake(tls.sslContext(), tls.sslContext(), "webhook.trainyard.svc", true))
                .isEqualTo("CN=webhook");
    }

    @Test
    void anotherHostNameAndAnotherCaAreRefused() {
        TlsMaterial tls = open(ours);
        TlsMaterial stranger = open(strangers);

        assertThatThrownBy(() -> handshake(tls.sslContext(), tls.sslContext(), "evil.svc", false))
                .isInstanceOf(SSLHandshakeException.class);
        assertThatThrownBy(() -> handshake(tls.sslContext(), stranger.sslContext(), "webhook.trainyard.svc", false))
                .isInstanceOf(SSLHandshakeException.class);
    }

    private static TlsMaterial open(Path directory) {
        return TlsDirectory.open(directory, WANTED, Clock.systemUTC()).current();
    }

    /** Returns the server's subject as the client sees it. */
    private static String handshake(SSLContext server, SSLContext client, String host, boolean mutual)
            throws Exception {
        try (SSLServerSocket listening = (SSLServerSocket)
                        server.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
                java.net.Socket plain = new java.net.Socket(listening.getInetAddress(), listening.getLocalPort());
                SSLSocket accepted = (SSLSocket) listening.accept();
                SSLSocket socket =
                        (SSLSocket) client.getSocketFactory().createSocket(plain, host, plain.getPort(), true)) {
            accepted.setNeedClientAuth(mutual);
            CompletableFuture<Void> serverSide = CompletableFuture.runAsync(() -> {
                try {
                    accepted.startHandshake();
                    accepted.getOutputStream().write('!');
                } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            assertThat(socket.getInputStream().read()).isEqualTo('!');
            serverSide.join();
            return socket.getSession().getPeerPrincipal().getName();
        }
    }
}
