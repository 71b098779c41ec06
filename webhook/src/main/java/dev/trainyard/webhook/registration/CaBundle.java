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
 * The certificates with which the API server verifies this webhook. Valid certificates of others are kept: other replicas may still serve
 * with them, and so may this replica with its previous CA.
 */
final class CaBundle {

    /** The limit for certificates of others. Each replica whose CA is not stored adds one at its start; the newest are those in use. */
    private static final int MOST_OF_OTHERS = 9;

    private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private CaBundle() {}

    /**
     * Returns a CA bundle that holds our CA.
     *
     * @param present the API server's bundle, base64 of PEM; null or unreadable if there is no usable one
     * @param ownPem our CA
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

    /** Returns the readable certificates with which the API server verifies us. */
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

    /** Returns the certificates of {@code pem}; empty if it cannot be read. A placeholder or a damaged bundle is then replaced. */
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
                throw new IllegalStateException("a certificate that was read cannot be written", e);
            }
        }
        return text.toString();
    }
}
