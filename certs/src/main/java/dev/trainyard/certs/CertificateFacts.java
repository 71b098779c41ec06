package dev.trainyard.certs;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.asn1.x509.KeyPurposeId;

/**
 * The content of a certificate, for people to read.
 *
 * @param names DNS names and addresses that the certificate is valid for
 * @param uses {@code servers}, {@code clients} or both; empty if the certificate states neither
 * @param fingerprint SHA-256 over the whole certificate, as openssl writes it
 */
public record CertificateFacts(
        String subject,
        String issuer,
        boolean authority,
        List<String> names,
        List<String> uses,
        Instant notBefore,
        Instant notAfter,
        String fingerprint) {

    /**
     * Parses all certificates of a text, in their order.
     *
     * @param what name of the text for messages
     * @throws TlsException if there is no certificate, or one cannot be read
     */
    public static List<CertificateFacts> of(String pem, String what) {
        return Pem.certificates(pem, what).stream()
                .map(certificate -> of(certificate, what))
                .toList();
    }

    private static CertificateFacts of(X509Certificate certificate, String what) {
        try {
            return new CertificateFacts(
                    certificate.getSubjectX500Principal().toString(),
                    certificate.getIssuerX500Principal().toString(),
                    certificate.getBasicConstraints() >= 0,
                    names(certificate),
                    uses(certificate),
                    certificate.getNotBefore().toInstant(),
                    certificate.getNotAfter().toInstant(),
                    HexFormat.ofDelimiter(":")
                            .withUpperCase()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded())));
        } catch (GeneralSecurityException e) {
            throw new TlsException(what + " holds a certificate that cannot be read: " + e.getMessage(), e);
        }
    }

    private static List<String> names(X509Certificate certificate) throws CertificateParsingException {
        var names = certificate.getSubjectAlternativeNames();
        return names == null
                ? List.of()
                : names.stream().map(name -> String.valueOf(name.get(1))).toList();
    }

    private static List<String> uses(X509Certificate certificate) throws CertificateParsingException {
        var uses = new ArrayList<String>();
        var purposes = certificate.getExtendedKeyUsage();
        if (purposes != null && purposes.contains(KeyPurposeId.id_kp_serverAuth.getId())) {
            uses.add("servers");
        }
        if (purposes != null && purposes.contains(KeyPurposeId.id_kp_clientAuth.getId())) {
            uses.add("clients");
        }
        return uses;
    }
}
