package dev.trainyard.certs;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Checks of certificates, keys and chains. */
final class Chains {
    private Chains() {}

    /** Whether the private key belongs to the certificate. */
    static boolean keyFits(PrivateKey key, X509Certificate certificate) {
        PublicKey publicKey = certificate.getPublicKey();
        if (!key.getAlgorithm().equals(publicKey.getAlgorithm())) {
            return false;
        }
        byte[] probe = "does the key fit".getBytes(StandardCharsets.US_ASCII);
        try {
            Signature signature = Signature.getInstance(signatureAlgorithm(key));
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false; // a different curve or key size
        }
    }

    /**
     * Returns the time of issue. The time is exact only if Trainyard issued the certificate, because the validity of such a certificate
     * starts five minutes before its issue.
     */
    static Instant issuedAt(X509Certificate certificate) {
        Instant notBefore = certificate.getNotBefore().toInstant();
        Instant issued = notBefore.plus(CertificateAuthority.CLOCK_SKEW);
        return issued.isBefore(certificate.getNotAfter().toInstant()) ? issued : notBefore;
    }

    /** Returns the time from which the certificate should be renewed: after two thirds of its validity. */
    static Instant renewAt(X509Certificate certificate) {
        Instant issued = issuedAt(certificate);
        Duration life = Duration.between(issued, certificate.getNotAfter().toInstant());
        return issued.plus(life.multipliedBy(2).dividedBy(3));
    }

    /** Returns why the chain (leaf first) does not lead to a trusted certificate at the given time; null if the chain does. */
    static @Nullable String whyUntrusted(List<X509Certificate> chain, List<X509Certificate> trusted, Instant now) {
        List<X509Certificate> path =
                chain.stream().takeWhile(c -> !trusted.contains(c)).toList();
        if (path.isEmpty()) {
            return null; // the leaf itself is trusted
        }
        try {
            PKIXParameters parameters = new PKIXParameters(
                    trusted.stream().map(c -> new TrustAnchor(c, null)).collect(Collectors.toSet()));
            parameters.setRevocationEnabled(false);
            parameters.setDate(Date.from(now));
            CertPath certPath = CertificateFactory.getInstance("X.509").generateCertPath(path);
            CertPathValidator.getInstance("PKIX").validate(certPath, parameters);
            return null;
        } catch (CertPathValidatorException e) {
            return e.getMessage();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the Java runtime cannot validate certificates", e);
        }
    }

    static String signatureAlgorithm(PrivateKey key) {
        return switch (key.getAlgorithm()) {
            case "EC" -> "SHA256withECDSA";
            case "RSA" -> "SHA256withRSA";
            case "EdDSA", "Ed25519" -> "Ed25519";
            default ->
                throw new TlsException(
                        "the key type " + key.getAlgorithm() + " is not supported; use an EC key or an RSA key");
        };
    }
}
