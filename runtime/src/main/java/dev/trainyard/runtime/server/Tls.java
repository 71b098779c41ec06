package dev.trainyard.runtime.server;

import dev.trainyard.certs.TlsMaterial;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.util.List;
import java.util.Set;

/** Certificates in the form that Vert.x wants them. */
final class Tls {
    static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

    /**
     * Those with forward secrecy and authenticated encryption, which every client of ours speaks. The JDK would also take CBC, and with a
     * certificate for RSA a key exchange that whoever gets hold of the key later can read.
     */
    static final List<String> CIPHER_SUITES = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /**
     * A second handshake on a connection of TLS 1.2 costs the server much and the caller nothing, and no client of ours asks for one. The JDK
     * reads this when it first answers a handshake, which is after this class was loaded.
     */
    private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

    static {
        if (System.getProperty(REJECT_RENEGOTIATION) == null) {
            System.setProperty(REJECT_RENEGOTIATION, "true");
        }
    }

    private Tls() {}

    static ServerSSLOptions server(TlsMaterial material, boolean requireClientCertificate) {
        ServerSSLOptions options = new ServerSSLOptions()
                .setKeyCertOptions(keyCertificate(material))
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setClientAuth(clientAuth(requireClientCertificate));
        CIPHER_SUITES.forEach(options::addEnabledCipherSuite);
        return requireClientCertificate ? options.setTrustOptions(trust(material)) : options;
    }

    static ClientSSLOptions client(TlsMaterial material) {
        return new ClientSSLOptions()
                .setKeyCertOptions(keyCertificate(material))
                .setTrustOptions(trust(material))
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setHostnameVerificationAlgorithm("HTTPS");
    }

    static ClientAuth clientAuth(boolean required) {
        return required ? ClientAuth.REQUIRED : ClientAuth.NONE;
    }

    /** Not as PEM: whoever reads that for Vert.x sets up all of Bouncy Castle first, which every start would wait for. */
    static KeyCertOptions keyCertificate(TlsMaterial material) {
        return KeyCertOptions.wrap(material.keyManager());
    }

    static PemTrustOptions trust(TlsMaterial material) {
        return new PemTrustOptions().addCertValue(Buffer.buffer(material.caPem()));
    }
}
