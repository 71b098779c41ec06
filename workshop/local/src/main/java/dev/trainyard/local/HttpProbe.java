package dev.trainyard.local;

import dev.trainyard.certs.PemKeyPair;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A health check of servers on loopback. Verifies their certificates against one authority. */
final class HttpProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final char[] NO_PASSWORD = {};

    private final HttpClient client;

    /**
     * Creates a probe.
     *
     * @param authority certificate of the authority that issued the servers' certificates, as PEM
     * @param self client certificate for servers that request one; null for none
     */
    HttpProbe(String authority, @Nullable PemKeyPair self) {
        this.client = HttpClient.newBuilder()
                .sslContext(context(authority, self))
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .proxy(HttpClient.Builder.NO_PROXY)
                .build();
    }

    /** Whether the address answers with status 200. */
    boolean isOk(String address) {
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(address)).timeout(TIMEOUT).build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static SSLContext context(String authority, @Nullable PemKeyPair self) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, NO_PASSWORD);
            trusted.setCertificateEntry("authority", certificate(authority));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(self == null ? new KeyManager[0] : keys(self), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyManager[] keys(PemKeyPair self) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        Certificate[] chain = {certificate(self.certificatePem())};
        store.setKeyEntry("self", key(self.keyPem()), NO_PASSWORD, chain);
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static Certificate certificate(String pem) throws CertificateException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    private static PrivateKey key(String pem) throws GeneralSecurityException {
        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
    }
}
