package dev.trainyard.certs;

import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of the CA that replicas share: all trusted certificates and the signing key. While a successor is announced, the key of
 * the successor is stored too. If the store is mounted as a directory, this directory can be used as a {@link TlsDirectory}. Immutable.
 */
public final class SharedAuthority {
    static final String CERTIFICATES = "ca.crt";
    static final String KEY = "ca.key";
    static final String NEXT_KEY = "next.key";

    /** The names of the stored texts. */
    public static final Set<String> NAMES = Set.of(CERTIFICATES, KEY, NEXT_KEY);

    private final CertificateAuthority signer;
    private final @Nullable CertificateAuthority next;
    private final List<X509Certificate> trusted;

    private SharedAuthority(
            CertificateAuthority signer, @Nullable CertificateAuthority next, List<X509Certificate> others) {
        this.signer = signer;
        this.next = next;
        var all = new LinkedHashSet<X509Certificate>();
        all.add(signer.certificate());
        if (next != null) {
            all.add(next.certificate());
        }
        all.addAll(others);
        this.trusted = List.copyOf(all);
    }

    static SharedAuthority create(Instant now, Duration life) {
        return new SharedAuthority(newAuthority(now, life), null, List.of());
    }

    /**
     * Reads the stored texts. An expired CA is accepted, and an invalid key of the successor is ignored.
     *
     * @throws TlsException if the CA's certificate or key is missing or invalid, or if they do not belong together
     */
    public static SharedAuthority read(Map<String, String> data) {
        var certificates = data.getOrDefault(CERTIFICATES, "");
        var signer =
                CertificateAuthority.load(new PemKeyPair(certificates, data.getOrDefault(KEY, "")), CERTIFICATES, KEY);
        return new SharedAuthority(signer, next(certificates, data.getOrDefault(NEXT_KEY, "")), signer.bundle());
    }

    private static @Nullable CertificateAuthority next(String certificates, String key) {
        if (key.isBlank()) {
            return null;
        }
        try {
            return CertificateAuthority.load(new PemKeyPair(certificates, key), CERTIFICATES, NEXT_KEY);
        } catch (TlsException e) {
            return null;
        }
    }

    /** Returns the texts to store; {@link #read} is the inverse. */
    public Map<String, String> data() {
        var data = new LinkedHashMap<String, String>();
        data.put(CERTIFICATES, Pem.ofCertificates(trusted));
        data.put(KEY, signer.pem().keyPem());
        if (next != null) {
            data.put(NEXT_KEY, next.pem().keyPem());
        }
        return data;
    }

    /** Returns the CA that signs. */
    public CertificateAuthority signer() {
        return signer;
    }

    /** Returns the announced CA, which will sign later; null if there is none. */
    @Nullable
    CertificateAuthority next() {
        return next;
    }

    /** Returns all trusted CA certificates, the signer's first. */
    List<X509Certificate> trusted() {
        return trusted;
    }

    SharedAuthority announcing(Instant now, Duration life) {
        return new SharedAuthority(signer, newAuthority(now, life), trusted);
    }

    /** Returns a copy with {@code following} as the signer; the previous signer stays trusted. */
    SharedAuthority promoted(CertificateAuthority following) {
        return new SharedAuthority(following, null, trusted);
    }

    /** Returns a copy without the certificates that have expired at the given time. The signer is kept even if it has expired. */
    SharedAuthority tidied(Instant now) {
        var following = next == null || next.isOver(now) ? null : next;
        var others = new ArrayList<>(trusted);
        others.removeIf(certificate -> isOver(certificate, now));
        return new SharedAuthority(signer, following, others);
    }

    static boolean isOver(X509Certificate certificate, Instant now) {
        return !now.isBefore(certificate.getNotAfter().toInstant());
    }

    private static CertificateAuthority newAuthority(Instant now, Duration life) {
        // The name must be unique, because verifiers look up the issuer by name.
        var name = "trainyard-ca-" + UUID.randomUUID().toString().substring(0, 8);
        return CertificateAuthority.create(name, life, Clock.fixed(now, ZoneOffset.UTC));
    }

    /** Returns the subjects of the trusted certificates, but no keys. */
    @Override
    public String toString() {
        return Stream.concat(
                                Stream.of("signer " + signer.certificate().getSubjectX500Principal()),
                                trusted.stream().map(certificate -> "trusts " + certificate.getSubjectX500Principal()))
                        .toList()
                + (next == null ? "" : " next " + next.certificate().getSubjectX500Principal());
    }
}
