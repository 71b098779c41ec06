package dev.trainyard.certs;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority that signs leaf certificates. New keys are ECDSA P-256; a loaded CA may also be RSA. Certificates start five minutes
 * in the past, because the clocks of a cluster differ. No leaf outlives its CA. Immutable and thread-safe.
 */
public final class CertificateAuthority {
    static final Duration CLOCK_SKEW = Duration.ofMinutes(5);
    private static final String SELF = "the new certificate";

    private final PrivateKey key;
    private final X509Certificate certificate;
    private final List<X509Certificate> bundle;

    private CertificateAuthority(PrivateKey key, X509Certificate certificate, List<X509Certificate> bundle) {
        this.key = key;
        this.certificate = certificate;
        this.bundle = List.copyOf(bundle);
    }

    /** Creates a self-signed CA that signs only leaf certificates. The CA is valid from now for the given time. */
    public static CertificateAuthority create(String commonName, Duration validity, Clock clock) {
        KeyPair keys = newKeys();
        X500Name name = new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.CN, commonName)
                .build();
        Instant now = clock.instant();
        try {
            JcaX509v3CertificateBuilder builder = builder(name, name, keys.getPublic(), now, now.plus(validity));
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            X509Certificate certificate = sign(builder, keys.getPrivate());
            return new CertificateAuthority(keys.getPrivate(), certificate, List.of(certificate));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("cannot create a certificate authority", e);
        }
    }

    /**
     * Loads a CA from PEM text. The text may hold several CA certificates, such as the old and the new one during a replacement. All these
     * certificates are trusted; the certificate that matches the key signs.
     *
     * @throws TlsException if the text is not PEM, no certificate matches the key, or the matching certificate is not a CA
     */
    public static CertificateAuthority load(PemKeyPair pair) {
        return load(pair, "the CA certificate", "the CA key");
    }

    static CertificateAuthority load(PemKeyPair pair, String certificateName, String keyName) {
        PrivateKey key = Pem.key(pair.keyPem(), keyName);
        List<X509Certificate> bundle = Pem.certificates(pair.certificatePem(), certificateName);
        X509Certificate certificate = bundle.stream()
                .filter(c -> Chains.keyFits(key, c))
                .max(Comparator.comparing(X509Certificate::getNotAfter)) // several certificates may have the same key
                .orElseThrow(() -> new TlsException(keyName + " does not belong to " + certificateName
                        + "; replace both with the certificate and the key of the same CA"));
        if (certificate.getBasicConstraints() < 0) {
            throw new TlsException(certificateName + " is not a CA certificate (no basic constraint CA:TRUE); expected"
                    + " a certificate that may sign other certificates. To use your own certificate, remove the CA key"
                    + " and put ca.crt, tls.crt and tls.key into the directory");
        }
        return new CertificateAuthority(key, certificate, bundle);
    }

    /** Creates a key and a certificate for it. The certificate is valid from now, and ends no later than this CA. */
    public PemKeyPair issue(LeafRequest request, Instant now) {
        if (!now.isBefore(notAfter())) {
            throw new TlsException("the CA " + certificate.getSubjectX500Principal() + " expired at " + notAfter()
                    + "; it cannot sign \"" + request.commonName() + "\" any more: replace the CA");
        }
        KeyPair keys = newKeys();
        Instant wantedEnd = now.plus(request.validity());
        Instant end = wantedEnd.isBefore(notAfter()) ? wantedEnd : notAfter();
        X500Name issuer =
                X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
        try {
            JcaX509v3CertificateBuilder builder = builder(issuer, subject(request), keys.getPublic(), now, end);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, usages(request));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(certificate));
            GeneralName[] names = names(request);
            if (names.length > 0) {
                builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
            }
            List<X509Certificate> chain = new ArrayList<>(List.of(sign(builder, key)));
            if (!isSelfSigned()) {
                chain.add(certificate);
            }
            return new PemKeyPair(Pem.ofCertificates(chain), Pem.ofKey(keys.getPrivate()));
        } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
            throw new TlsException("cannot issue a certificate for \"" + request.commonName() + "\": " + e, e);
        }
    }

    /** Returns the certificates that clients must trust: all CA certificates that were loaded. */
    public String certificatePem() {
        return Pem.ofCertificates(bundle);
    }

    /** Returns certificates and key for storage; {@link #load} is the inverse. */
    public PemKeyPair pem() {
        return new PemKeyPair(certificatePem(), Pem.ofKey(key));
    }

    public Instant notAfter() {
        return certificate.getNotAfter().toInstant();
    }

    Instant notBefore() {
        return certificate.getNotBefore().toInstant();
    }

    /** Returns the time of issue. The time is exact only if Trainyard issued the certificate. */
    Instant issuedAt() {
        return Chains.issuedAt(certificate);
    }

    /** Returns the time from which a successor should be created: after two thirds of the validity. */
    Instant renewAt() {
        return Chains.renewAt(certificate);
    }

    boolean isOver(Instant now) {
        return !now.isBefore(notAfter());
    }

    boolean isValid(Instant now) {
        return !now.isBefore(notBefore()) && !isOver(now);
    }

    /** Returns the common name; empty if there is none. */
    public String name() {
        var names = X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded())
                .getRDNs(BCStyle.CN);
        return names.length == 0 ? "" : names[0].getFirst().getValue().toString();
    }

    /** Returns the certificate of the signing key, without other trusted certificates. */
    X509Certificate certificate() {
        return certificate;
    }

    String ownCertificatePem() {
        return Pem.ofCertificates(List.of(certificate));
    }

    static X500Name subject(LeafRequest request) {
        X500NameBuilder name = new X500NameBuilder(BCStyle.INSTANCE);
        request.organizations().forEach(organization -> name.addRDN(BCStyle.O, organization));
        return name.addRDN(BCStyle.CN, request.commonName()).build();
    }

    List<X509Certificate> bundle() {
        return bundle;
    }

    private boolean isSelfSigned() {
        return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
    }

    private static ExtendedKeyUsage usages(LeafRequest request) {
        List<KeyPurposeId> usages = new ArrayList<>();
        if (request.serverAuth()) {
            usages.add(KeyPurposeId.id_kp_serverAuth);
        }
        if (request.clientAuth()) {
            usages.add(KeyPurposeId.id_kp_clientAuth);
        }
        return new ExtendedKeyUsage(usages.toArray(new KeyPurposeId[0]));
    }

    private static GeneralName[] names(LeafRequest request) {
        List<GeneralName> names = new ArrayList<>();
        request.dnsNames().forEach(name -> names.add(new GeneralName(GeneralName.dNSName, name)));
        request.ipAddresses().forEach(address -> names.add(new GeneralName(GeneralName.iPAddress, address)));
        return names.toArray(new GeneralName[0]);
    }

    private static JcaX509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, PublicKey publicKey, Instant now, Instant end)
            throws IOException, GeneralSecurityException {
        BigInteger serial = new BigInteger(126, new SecureRandom()).setBit(126); // random, positive, always 127 bits
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer, serial, Date.from(now.minus(CLOCK_SKEW)), Date.from(end), subject, publicKey);
        builder.addExtension(
                Extension.subjectKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createSubjectKeyIdentifier(publicKey));
        return builder;
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, PrivateKey key)
            throws OperatorCreationException {
        return Pem.certificate(
                builder.build(new JcaContentSignerBuilder(Chains.signatureAlgorithm(key)).build(key)), SELF);
    }

    private static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java cannot make P-256 keys", e);
        }
    }
}
