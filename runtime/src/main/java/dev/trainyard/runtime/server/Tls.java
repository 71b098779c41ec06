package dev.trainyard.runtime.server;

import dev.trainyard.certs.TlsMaterial;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.util.Set;

/** Certificates in the form that Vert.x wants them. */
final class Tls {
    static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

    private Tls() {}

    static ServerSSLOptions server(TlsMaterial material, boolean requireClientCertificate) {
        ServerSSLOptions options = new ServerSSLOptions()
                .setKeyCertOptions(keyCertificate(material))
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setClientAuth(clientAuth(requireClientCertificate));
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
