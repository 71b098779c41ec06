package dev.trainyard.runtime.server;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.trainyard.certs.TlsMaterial;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** TLS options for Vert.x. */
final class Tls {
    /** The level of C2 among the compilers of the JVM. */
    private static final String OPTIMIZED = "4";

    static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

    /**
     * The cipher suites with forward secrecy and authenticated encryption. All of our clients support them. The JDK would also accept
     * suites with CBC. With an RSA certificate, the JDK would also accept a key exchange that anyone who obtains the key later can decrypt.
     */
    private static final List<String> ACCEPTED = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** The accepted cipher suites of this process. A server chooses the first one that the caller offers. */
    static final List<String> CIPHER_SUITES = cipherSuites(hasOptimizingCompiler());

    /**
     * The property that rejects renegotiation. A second handshake on a TLS 1.2 connection is expensive for the server and cheap for the caller.
     * None of our clients needs one. The JDK reads the property when it first answers a handshake, after this class was loaded.
     */
    private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

    static {
        if (System.getProperty(REJECT_RENEGOTIATION) == null) {
            System.setProperty(REJECT_RENEGOTIATION, "true");
        }
    }

    private Tls() {}

    /**
     * Returns the accepted cipher suites in the order of preference. Only code of the optimizing compiler (C2) uses the CPU's AES
     * instructions. Without this compiler, AES-GCM takes four times the CPU time of ChaCha20-Poly1305.
     */
    static List<String> cipherSuites(boolean hasOptimizingCompiler) {
        return hasOptimizingCompiler
                ? ACCEPTED
                : ACCEPTED.stream()
                        .sorted(Comparator.comparing(suite -> !suite.contains("CHACHA20")))
                        .toList();
    }

    /** Whether this JVM compiles frequent code with C2. A JVM without this option counts as one with C2. */
    private static boolean hasOptimizingCompiler() {
        try {
            var jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            return jvm == null
                    || jvm.getVMOption("TieredStopAtLevel").getValue().equals(OPTIMIZED);
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

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

    /**
     * Returns the certificate and its key, wrapped in a key manager. To read them as PEM, Vert.x would initialise all of Bouncy Castle,
     * which would delay every start.
     */
    static KeyCertOptions keyCertificate(TlsMaterial material) {
        return KeyCertOptions.wrap(material.keyManager());
    }

    static PemTrustOptions trust(TlsMaterial material) {
        return new PemTrustOptions().addCertValue(Buffer.buffer(material.caPem()));
    }
}
