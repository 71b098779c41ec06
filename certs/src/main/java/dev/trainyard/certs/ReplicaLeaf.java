package dev.trainyard.certs;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The certificate that one replica derives from the shared CA, and the CAs that the replica trusts. Immutable.
 *
 * <p>A CA that the replica has read only recently does not sign the replica's leaf yet, because other replicas possibly do not know the CA
 * yet. A CA that disappeared stays trusted for a while, because other replicas may still present its certificates. With both rules, the
 * replicas accept each other even if the CA is replaced without an announcement.
 *
 * @param issuer the CA that signed the leaf
 * @param known time at which each trusted CA was first read
 * @param vanished for each formerly trusted CA that has disappeared, the time at which the replica noticed the disappearance
 */
record ReplicaLeaf(
        SharedAuthority authority,
        CertificateAuthority issuer,
        Leaf leaf,
        Map<X509Certificate, Instant> known,
        Map<X509Certificate, Instant> vanished,
        TlsMaterial material) {

    static ReplicaLeaf first(SharedAuthority authority, LeafRequest wanted, Instant now) {
        var known = new HashMap<X509Certificate, Instant>();
        authority.trusted().forEach(certificate -> known.put(certificate, now));
        var leaf = issue(authority.signer(), wanted, now);
        return new ReplicaLeaf(
                authority,
                authority.signer(),
                leaf,
                known,
                Map.of(),
                material(authority.trusted(), List.of(), authority.signer(), leaf, now));
    }

    /** Returns the state after the replica has read the given CA at the given time. */
    ReplicaLeaf with(SharedAuthority found, LeafRequest wanted, Instant now, Verifiers verifiers, Lifetimes lifetimes) {
        var nowKnown = new HashMap<X509Certificate, Instant>();
        found.trusted().forEach(certificate -> nowKnown.put(certificate, known.getOrDefault(certificate, now)));
        var nowVanished = new HashMap<X509Certificate, Instant>(vanished);
        known.keySet().forEach(certificate -> nowVanished.putIfAbsent(certificate, now));
        nowVanished
                .entrySet()
                .removeIf(entry -> nowKnown.containsKey(entry.getKey())
                        || !now.isBefore(entry.getValue().plus(lifetimes.overlap())));

        var signer = found.signer();
        boolean moves = !signer.certificate().equals(issuer.certificate())
                && (!isUsable(leaf, now)
                        || issuer.isOver(now)
                        || (isSettled(signer, nowKnown, now, lifetimes)
                                && verifiers.trust(signer.ownCertificatePem())));
        var nowIssuer = moves ? signer : issuer;
        var nowLeaf = moves || isDue(leaf, nowIssuer, now) ? issue(nowIssuer, wanted, now) : leaf;
        var nowMaterial = material(found.trusted(), newestFirst(nowVanished.keySet()), nowIssuer, nowLeaf, now);
        return new ReplicaLeaf(
                found,
                nowIssuer,
                nowLeaf,
                nowKnown,
                nowVanished,
                nowMaterial.equals(material) ? material : nowMaterial);
    }

    private static boolean isSettled(
            CertificateAuthority signer, Map<X509Certificate, Instant> known, Instant now, Lifetimes lifetimes) {
        var since = known.getOrDefault(signer.certificate(), now);
        return !now.isBefore(since.plus(lifetimes.settling()));
    }

    private static boolean isUsable(Leaf leaf, Instant now) {
        return !now.isBefore(leaf.notBefore()) && now.isBefore(leaf.notAfter());
    }

    /** Whether the leaf must be renewed. A usable leaf that ends with its CA is not renewed, because a new leaf would not end later. */
    private static boolean isDue(Leaf leaf, CertificateAuthority issuer, Instant now) {
        return !isUsable(leaf, now)
                || (!now.isBefore(leaf.renewAt()) && leaf.notAfter().isBefore(issuer.notAfter()));
    }

    private static Leaf issue(CertificateAuthority issuer, LeafRequest wanted, Instant now) {
        return Leaf.parse(issuer.issue(wanted, now), "the new certificate", "the new key");
    }

    private static TlsMaterial material(
            List<X509Certificate> trusted,
            List<X509Certificate> vanished,
            CertificateAuthority issuer,
            Leaf leaf,
            Instant now) {
        var all = new LinkedHashSet<>(trusted);
        all.add(issuer.certificate());
        all.addAll(vanished);
        all.removeIf(certificate -> SharedAuthority.isOver(certificate, now));
        return new TlsMaterial(
                Pem.ofCertificates(List.copyOf(all)),
                Pem.ofCertificates(leaf.chain()),
                Pem.ofKey(leaf.key()),
                leaf.notAfter());
    }

    /** Sorts the certificates, so that equal sets result in equal texts. */
    private static List<X509Certificate> newestFirst(Collection<X509Certificate> certificates) {
        return certificates.stream()
                .sorted(Comparator.comparing(X509Certificate::getNotBefore)
                        .reversed()
                        .thenComparing(X509Certificate::getSerialNumber))
                .toList();
    }
}
