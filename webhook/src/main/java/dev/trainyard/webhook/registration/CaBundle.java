package dev.trainyard.webhook.registration;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The CA certificates by which the API server verifies this webhook. Valid CAs besides our current CA are kept, because other replicas may
 * use them, and this replica may still use its previous CA.
 */
final class CaBundle {

    /**
     * The limit for certificates other than our own. A replica that does not store its CA adds a new one at each start, so only the newest
     * certificates are in use.
     */
    private static final int MOST_OF_OTHERS = 9;

    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private CaBundle() {}

    /**
     * Returns a CA bundle that holds our CA.
     *
     * @param present the bundle in the registration, in base64 of PEM; null if there is none. An unreadable bundle counts as empty
     * @param ownPem our CA, in PEM
     * @return the bundle that the API server should have, base64 of PEM; equal to {@code present} if no change is needed
     */
    static String with(@Nullable String present, String ownPem, Instant now) {
        var own = certificates(ownPem);
        var known = certificates(decoded(present));
        boolean stale = known.stream().anyMatch(certificate -> isOver(certificate, now));
        if (present != null && known.containsAll(own) && !stale && known.size() <= own.size() + MOST_OF_OTHERS) {
            return present;
        }
        var all = new LinkedHashSet<>(own);
        known.stream()
                .filter(certificate -> !own.contains(certificate) && !isOver(certificate, now))
                .sorted(Comparator.comparing(X509Certificate::getNotBefore).reversed())
                .limit(MOST_OF_OTHERS)
                .forEach(all::add);
        return Base64.getEncoder().encodeToString(pem(all).getBytes(StandardCharsets.US_ASCII));
    }

    private static boolean isOver(X509Certificate certificate, Instant now) {
        return certificate.getNotAfter().toInstant().isBefore(now);
    }

    /** Returns the certificates in a bundle of the registration; empty if the bundle is null or unreadable. */
    static List<X509Certificate> present(@Nullable String present) {
        return certificates(decoded(present));
    }

    private static String decoded(@Nullable String base64) {
        try {
            return base64 == null ? "" : new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.US_ASCII);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** Returns the certificates of {@code pem}; empty if the text is unreadable, so that a placeholder or a damaged bundle is replaced. */
    static List<X509Certificate> certificates(String pem) {
        var found = new ArrayList<X509Certificate>();
        try {
            CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))
                    .forEach(certificate -> found.add((X509Certificate) certificate));
        } catch (CertificateException e) {
            return List.of();
        }
        return found;
    }

    private static String pem(Set<X509Certificate> certificates) {
        var text = new StringBuilder();
        for (var certificate : certificates) {
            try {
                text.append("-----BEGIN CERTIFICATE-----\n")
                        .append(LINES.encodeToString(certificate.getEncoded()))
                        .append("\n-----END CERTIFICATE-----\n");
            } catch (CertificateEncodingException e) {
                throw new IllegalStateException("a CA certificate cannot be encoded", e);
            }
        }
        return text.toString();
    }
}
