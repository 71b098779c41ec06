package dev.trainyard.certs;

import static dev.trainyard.certs.TlsFiles.CA_CERTIFICATE;
import static dev.trainyard.certs.TlsFiles.CA_KEY;
import static dev.trainyard.certs.TlsFiles.CERTIFICATE;
import static dev.trainyard.certs.TlsFiles.KEY;

import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory with a component's {@code ca.crt}, {@code ca.key}, {@code tls.crt} and {@code tls.key}. Its content decides the mode:
 *
 * <ul>
 *   <li><b>nothing</b>: a CA (10 years) and a leaf are created. Processes that open the directory at the same time get the same CA.
 *   <li><b>{@code ca.crt} and {@code ca.key}</b>: a leaf is issued if there is none. The present leaf is replaced if another CA signed it,
 *       if it does not match the request, or if two thirds of its validity have passed. In a read-only directory (a mounted Secret), the
 *       issued leaf stays in memory, so every replica has a different leaf.
 *   <li><b>{@code ca.crt}, {@code tls.crt} and {@code tls.key}</b>, no {@code ca.key}: the files are used as they are. If the files are
 *       replaced, the served certificate changes too.
 * </ul>
 *
 * <p>A directory belongs to one component. Components that need different leaves need different directories. Such components can trust each
 * other if their directories have the same CA. Thread-safe. Every problem is a {@link TlsException} that names the file.
 */
public final class TlsDirectory implements Credentials {
    private static final Logger log = LoggerFactory.getLogger(TlsDirectory.class);
    private static final Duration CA_VALIDITY = Duration.ofDays(3650);
    /** The certificate of a CA that is being created. The file is renamed to ca.crt after ca.key was written. */
    private static final String NEW_CA_CERTIFICATE = ".ca.crt.new";

    private final TlsFiles files;
    private final LeafRequest wanted;
    private volatile TlsMaterial current;

    private TlsDirectory(TlsFiles files, LeafRequest wanted, Instant now) {
        this.files = files;
        this.wanted = wanted;
        this.current = load(now, null);
    }

    /** Reads the directory, and creates missing files. */
    public static TlsDirectory open(Path directory, LeafRequest wanted, Clock clock) {
        return new TlsDirectory(new TlsFiles(directory), wanted, clock.instant());
    }

    /** Reads the files again, and renews the leaf if it is due. */
    @Override
    public synchronized boolean refresh(Instant now) {
        TlsMaterial before = current;
        TlsMaterial after = load(now, before);
        if (after.equals(before)) {
            return false;
        }
        current = after;
        return true;
    }

    @Override
    public TlsMaterial current() {
        return current;
    }

    public String certificatePem() {
        return current.certificatePem();
    }

    public String keyPem() {
        return current.keyPem();
    }

    public Instant notAfter() {
        return current.notAfter();
    }

    private TlsMaterial load(Instant now, @Nullable TlsMaterial previous) {
        if (files.isWritable() && (files.has(CA_KEY) || isEmpty())) {
            return files.locked(() -> {
                createCaIfNone(now);
                return managed(now, previous);
            });
        }
        return files.has(CA_KEY) ? managed(now, previous) : given(now, previous);
    }

    private boolean isEmpty() {
        return Stream.of(CA_CERTIFICATE, CA_KEY, CERTIFICATE, KEY).noneMatch(files::has);
    }

    /**
     * Creates a CA if the directory is empty. If a process was killed between two steps of the creation, the next process completes the
     * creation.
     */
    private void createCaIfNone(Instant now) {
        if (isEmpty()) {
            String name = "trainyard-ca-" + UUID.randomUUID().toString().substring(0, 8);
            PemKeyPair ca = CertificateAuthority.create(name, CA_VALIDITY, Clock.fixed(now, ZoneOffset.UTC))
                    .pem();
            files.writeCertificate(NEW_CA_CERTIFICATE, ca.certificatePem());
            files.writeKey(CA_KEY, ca.keyPem());
            files.rename(NEW_CA_CERTIFICATE, CA_CERTIFICATE);
            log.atInfo()
                    .addKeyValue("file", files.path(CA_CERTIFICATE))
                    .addKeyValue("name", name)
                    .log("created a certificate authority");
        } else if (!files.has(CA_CERTIFICATE) && files.has(NEW_CA_CERTIFICATE)) {
            files.rename(NEW_CA_CERTIFICATE, CA_CERTIFICATE);
        }
    }

    private TlsMaterial managed(Instant now, @Nullable TlsMaterial previous) {
        if (!files.has(CA_CERTIFICATE)) {
            throw new TlsException(files.path(CA_CERTIFICATE) + " is missing, but " + CA_KEY
                    + " is there; put the CA's certificate beside its key, or remove " + CA_KEY
                    + " and all other files of the directory, so that Trainyard creates new files");
        }
        CertificateAuthority ca = authority();
        if (!now.isBefore(ca.notAfter())) {
            throw new TlsException(files.path(CA_CERTIFICATE) + " expired at " + ca.notAfter() + " (now: " + now
                    + "); replace " + CA_CERTIFICATE + " and " + CA_KEY + ", or remove all files of the directory, so"
                    + " that Trainyard creates new files. Then give the new " + CA_CERTIFICATE + " to all clients");
        }
        Leaf leaf = null;
        String reason = "there is none";
        try {
            leaf = storedLeaf(previous);
            reason = leaf == null ? reason : whyReissue(leaf, ca, now);
        } catch (TlsException e) {
            reason = e.getMessage();
        }
        if (leaf == null || reason != null) {
            leaf = issue(ca, now, String.valueOf(reason));
        }
        return material(ca.bundle(), leaf);
    }

    /**
     * Writes a certificate into a directory. The CA of another directory signs it; the CA's key is not copied.
     *
     * @throws TlsException if there is no such CA, or the directory cannot be written
     */
    public static void issue(Path authorityDirectory, Path directory, LeafRequest wanted, Clock clock) {
        Instant now = clock.instant();
        CertificateAuthority ca = authority(new TlsFiles(authorityDirectory));
        PemKeyPair issued = ca.issue(wanted, now);
        TlsFiles target = new TlsFiles(directory);
        target.locked(() -> {
            target.writeCertificate(CA_CERTIFICATE, ca.certificatePem());
            target.writeKey(KEY, issued.keyPem());
            target.writeCertificate(CERTIFICATE, issued.certificatePem());
            return true;
        });
    }

    /**
     * Returns the problems of a directory's certificate, one line for each; empty if there are none. The directory is not changed.
     *
     * @param names DNS names and addresses that the certificate must cover
     */
    public static List<String> problems(Path directory, LeafRequest names, Instant now) {
        TlsFiles files = new TlsFiles(directory);
        List<String> problems = new ArrayList<>();
        try {
            List<X509Certificate> trusted = Pem.certificates(
                    files.read(CA_CERTIFICATE), files.path(CA_CERTIFICATE).toString());
            Leaf leaf = readLeaf(files);
            if (now.isBefore(leaf.notBefore())) {
                problems.add(files.path(CERTIFICATE) + " is not valid before " + leaf.notBefore());
            }
            if (!now.isBefore(leaf.notAfter())) {
                problems.add(files.path(CERTIFICATE) + " expired at " + leaf.notAfter());
            }
            trusted.stream()
                    .filter(certificate -> SharedAuthority.isOver(certificate, now))
                    .forEach(certificate -> problems.add(files.path(CA_CERTIFICATE) + " holds "
                            + certificate.getSubjectX500Principal() + ", a certificate that expired at "
                            + certificate.getNotAfter().toInstant()));
            String untrusted = Chains.whyUntrusted(leaf.chain(), trusted, now);
            if (untrusted != null && problems.isEmpty()) {
                problems.add(
                        files.path(CERTIFICATE) + " is not signed by " + files.path(CA_CERTIFICATE) + ": " + untrusted);
            }
            leaf.missingNames(names).forEach(name -> problems.add(files.path(CERTIFICATE) + " is not for " + name));
            if (files.has(CA_KEY)) {
                authority(files);
            }
        } catch (TlsException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        return problems;
    }

    /**
     * Returns the CA whose key is in the directory.
     *
     * @throws TlsException if there is no usable key
     */
    CertificateAuthority authority() {
        return authority(files);
    }

    private static CertificateAuthority authority(TlsFiles files) {
        return CertificateAuthority.load(
                new PemKeyPair(files.read(CA_CERTIFICATE), files.read(CA_KEY)),
                files.path(CA_CERTIFICATE).toString(),
                files.path(CA_KEY).toString());
    }

    private @Nullable Leaf storedLeaf(@Nullable TlsMaterial previous) {
        if (previous != null && !files.isWritable()) {
            return Leaf.parse(new PemKeyPair(previous.certificatePem(), previous.keyPem()), CERTIFICATE, KEY);
        }
        return files.has(CERTIFICATE) && files.has(KEY) ? readLeaf() : null;
    }

    private @Nullable String whyReissue(Leaf leaf, CertificateAuthority ca, Instant now) {
        String other = leaf.mismatch(wanted);
        if (other != null) {
            return other;
        }
        // A renewal cannot extend a leaf that ends with its CA.
        if (!now.isBefore(leaf.renewAt())
                && (leaf.notAfter().isBefore(ca.notAfter()) || !now.isBefore(leaf.notAfter()))) {
            return "two thirds of the previous certificate's lifetime have passed";
        }
        String untrusted = Chains.whyUntrusted(leaf.chain(), ca.bundle(), now);
        return untrusted == null ? null : "the CA did not sign the previous certificate: " + untrusted;
    }

    private Leaf issue(CertificateAuthority ca, Instant now, String reason) {
        PemKeyPair issued = ca.issue(wanted, now);
        if (files.isWritable()) {
            files.writeKey(KEY, issued.keyPem());
            files.writeCertificate(CERTIFICATE, issued.certificatePem());
        }
        Leaf leaf = Leaf.parse(issued, CERTIFICATE, KEY);
        log.atInfo()
                .addKeyValue("file", files.path(CERTIFICATE))
                .addKeyValue("notAfter", leaf.notAfter())
                .addKeyValue("reason", reason)
                .log("issued a certificate");
        return leaf;
    }

    private TlsMaterial given(Instant now, @Nullable TlsMaterial previous) {
        List<String> missing = Stream.of(CA_CERTIFICATE, CERTIFICATE, KEY)
                .filter(name -> !files.has(name))
                .toList();
        if (!missing.isEmpty()) {
            throw new TlsException(files.path(missing.get(0)) + " is missing; expected " + CA_CERTIFICATE + ", "
                    + CERTIFICATE + " and " + KEY + " (your own certificate), or " + CA_CERTIFICATE + " and " + CA_KEY
                    + " (to have certificates issued), or an empty directory that can be written (so that Trainyard"
                    + " creates all files)");
        }
        List<X509Certificate> trusted = Pem.certificates(
                files.read(CA_CERTIFICATE), files.path(CA_CERTIFICATE).toString());
        Leaf leaf = readLeaf();
        if (!now.isBefore(leaf.notAfter())) {
            throw new TlsException(files.path(CERTIFICATE) + " expired at " + leaf.notAfter() + " (now: " + now
                    + "); replace " + CERTIFICATE + " and " + KEY + " by new ones");
        }
        if (now.isBefore(leaf.notBefore())) {
            throw new TlsException(files.path(CERTIFICATE) + " is not valid before " + leaf.notBefore() + " (now: "
                    + now + "); check the clock of this machine, or wait");
        }
        String untrusted = Chains.whyUntrusted(leaf.chain(), trusted, now);
        if (untrusted != null) {
            throw new TlsException(files.path(CERTIFICATE) + " is not signed by " + files.path(CA_CERTIFICATE) + " ("
                    + untrusted + "); put the certificate of the CA that signed it into " + CA_CERTIFICATE
                    + ". Put intermediate certificates after the server's certificate in " + CERTIFICATE);
        }
        TlsMaterial material = material(trusted, leaf);
        List<String> uncovered = leaf.missingNames(wanted);
        if (!uncovered.isEmpty() && !material.equals(previous)) {
            log.atWarn()
                    .addKeyValue("file", files.path(CERTIFICATE))
                    .addKeyValue("missing", uncovered)
                    .log("the certificate lacks names that clients use");
        }
        return material;
    }

    private Leaf readLeaf() {
        return readLeaf(files);
    }

    private static Leaf readLeaf(TlsFiles files) {
        return Leaf.parse(
                new PemKeyPair(files.read(CERTIFICATE), files.read(KEY)),
                files.path(CERTIFICATE).toString(),
                files.path(KEY).toString());
    }

    private static TlsMaterial material(List<X509Certificate> trusted, Leaf leaf) {
        return new TlsMaterial(
                Pem.ofCertificates(trusted), Pem.ofCertificates(leaf.chain()), Pem.ofKey(leaf.key()), leaf.notAfter());
    }
}
