package dev.trainyard.certs;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A consistent snapshot of certificates and key. Two snapshots are equal if a peer would see no difference.
 *
 * @param caPem the trusted CA certificates, one or several; also the value of a webhook's {@code caBundle}
 * @param certificatePem the leaf, followed by intermediates if there are any
 * @param keyPem the leaf's key, unencrypted PKCS#8
 * @param notAfter end of the leaf's validity
 */
public record TlsMaterial(String caPem, String certificatePem, String keyPem, Instant notAfter) {

    /** Returns a context for the JDK's own TLS that trusts only the CA, and presents the leaf as a server or client. */
    public SSLContext sslContext() {
        return context(caPem, new PemKeyPair(certificatePem, keyPem));
    }

    /** Returns a context for the JDK's own TLS that trusts only the CA, and presents no certificate. */
    public SSLContext sslContextWithoutCertificate() {
        return context(caPem, null);
    }

    /**
     * Returns a key manager that presents the leaf.
     *
     * @throws TlsException if certificate and key do not belong together
     */
    public X509KeyManager keyManager() {
        try {
            return (X509KeyManager) keyManagers(new PemKeyPair(certificatePem, keyPem))[0];
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException("the certificate cannot be used for TLS: " + e.getMessage(), e);
        }
    }

    private static SSLContext context(String caPem, @Nullable PemKeyPair own) {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trustStore(Pem.certificates(caPem, "the CA certificate")));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own == null ? null : keyManagers(own), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException("the certificates cannot be used for TLS: " + e.getMessage(), e);
        }
    }

    private static KeyStore trustStore(List<X509Certificate> trusted) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (int i = 0; i < trusted.size(); i++) {
            store.setCertificateEntry("ca-" + i, trusted.get(i));
        }
        return store;
    }

    private static KeyManager[] keyManagers(PemKeyPair own) throws GeneralSecurityException, IOException {
        Leaf leaf = Leaf.parse(own, "the certificate", "the key");
        // The store stays in memory. PKCS12 would encrypt the key with thousands of rounds of hashing, at each start.
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        store.setKeyEntry("leaf", leaf.key(), new char[0], leaf.chain().toArray(new X509Certificate[0]));
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        return keys.getKeyManagers();
    }

    /** Omits the key, so that it cannot appear in a log. */
    @Override
    public String toString() {
        return "TlsMaterial[notAfter=" + notAfter + ", certificatePem=" + certificatePem + ", keyPem=(hidden)]";
    }
}
