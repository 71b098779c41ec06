package dev.trainyard.certs;

import java.io.IOException;
import java.net.InetAddress;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.jspecify.annotations.Nullable;

/** A parsed leaf certificate (with intermediates after it) and its key. */
record Leaf(List<X509Certificate> chain, PrivateKey key) {
    private static final int DNS = 2; // RFC 5280, GeneralName tags
    private static final int IP = 7;

    /** @throws TlsException if a text is not PEM, or if the certificate and the key do not belong together */
    static Leaf parse(PemKeyPair pair, String certificateName, String keyName) {
        Leaf leaf = new Leaf(Pem.certificates(pair.certificatePem(), certificateName), Pem.key(pair.keyPem(), keyName));
        if (!Chains.keyFits(leaf.key, leaf.certificate())) {
            throw new TlsException(keyName + " does not belong to " + certificateName + " (first certificate: "
                    + leaf.certificate().getSubjectX500Principal()
                    + "); replace both with the certificate and the key of the same pair");
        }
        return leaf;
    }

    X509Certificate certificate() {
        return chain.get(0);
    }

    Instant notBefore() {
        return certificate().getNotBefore().toInstant();
    }

    Instant notAfter() {
        return certificate().getNotAfter().toInstant();
    }

    /** Returns the time from which the certificate should be renewed: after two thirds of its validity. */
    Instant renewAt() {
        return Chains.renewAt(certificate());
    }

    /** Returns how this certificate differs from the request; null if it satisfies the request. */
    @Nullable
    String mismatch(LeafRequest wanted) {
        List<String> missing = missingNames(wanted);
        if (!missing.isEmpty()) {
            return "the previous certificate lacks the names " + String.join(", ", missing);
        }
        try {
            X500Principal subject =
                    new X500Principal(CertificateAuthority.subject(wanted).getEncoded());
            if (!certificate().getSubjectX500Principal().equals(subject)) {
                return "the previous subject is " + certificate().getSubjectX500Principal() + ", expected " + subject;
            }
            List<String> usages = certificate().getExtendedKeyUsage();
            if (usages != null && wanted.serverAuth() && !usages.contains(KeyPurposeId.id_kp_serverAuth.getId())) {
                return "the previous certificate is not valid for servers";
            }
            if (usages != null && wanted.clientAuth() && !usages.contains(KeyPurposeId.id_kp_clientAuth.getId())) {
                return "the previous certificate is not valid for clients";
            }
        } catch (IOException | CertificateParsingException e) {
            return "it cannot be read: " + e.getMessage();
        }
        return null;
    }

    /** Returns the names of the request that this certificate does not cover. */
    List<String> missingNames(LeafRequest wanted) {
        Set<String> dns = names(DNS);
        Set<String> ips = names(IP);
        return Stream.concat(
                        wanted.dnsNames().stream().filter(name -> !dns.contains(name) && !dns.contains(wildcard(name))),
                        wanted.ipAddresses().stream().filter(address -> !ips.contains(address)))
                .toList();
    }

    private static String wildcard(String name) {
        return "*" + name.substring(Math.max(0, name.indexOf('.')));
    }

    private Set<String> names(int kind) {
        try {
            Collection<List<?>> names = certificate().getSubjectAlternativeNames();
            return names == null
                    ? Set.of()
                    : names.stream()
                            .filter(name -> name.get(0).equals(kind))
                            .map(name -> spelling(kind, String.valueOf(name.get(1))))
                            .collect(Collectors.toSet());
        } catch (CertificateParsingException e) {
            return Set.of();
        }
    }

    /**
     * Spells a name as {@link LeafRequest} does. The text of an address comes from the certificate's bytes and is never a host name, so
     * there is no DNS lookup.
     */
    private static String spelling(int kind, String name) {
        try {
            return kind == IP ? InetAddress.getByName(name).getHostAddress() : name.toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            return name;
        }
    }
}
