package dev.trainyard.certs;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * Credentials for connections to one local peer, such as a scheduler in another container of the pod. The peer reads its files only at its
 * start. Both sides mount the same directory. The directory has its own CA, and {@code ca.crt}, {@code tls.crt} and {@code tls.key} for the
 * peer. The certificates in the directory are valid for ten years, which is longer than either process runs.
 *
 * <p>The same CA signs our own leaf certificate, which stays in memory and is renewed. The key of the CA is in the directory, so that the
 * same CA is used after a restart. Thread-safe.
 */
public final class PeerDirectory implements Credentials {
    private static final Duration TEN_YEARS = Duration.ofDays(3650);

    private final TlsDirectory files;
    private final LeafRequest own;
    private Leaf leaf; // guarded by this
    private volatile TlsMaterial current;

    private PeerDirectory(TlsDirectory files, LeafRequest own, Instant now) {
        this.files = files;
        this.own = own;
        this.leaf = issue(files.authority(), now);
        this.current = material();
    }

    /**
     * Opens the directory, and creates the files if they are missing.
     *
     * @param peer content of the peer's certificate
     * @param own content of our own certificate
     */
    public static PeerDirectory open(Path directory, LeafRequest peer, LeafRequest own, Clock clock) {
        var files = TlsDirectory.open(directory, peer.withValidity(TEN_YEARS), clock);
        return new PeerDirectory(files, own, clock.instant());
    }

    @Override
    public TlsMaterial current() {
        return current;
    }

    /** Recreates missing files, and renews our own leaf if it is due. */
    @Override
    public synchronized boolean refresh(Instant now) {
        files.refresh(now);
        var authority = files.authority();
        boolean due = !now.isBefore(leaf.renewAt()) && leaf.notAfter().isBefore(authority.notAfter());
        if (due || Chains.whyUntrusted(leaf.chain(), authority.bundle(), now) != null) {
            leaf = issue(authority, now);
        }
        var material = material();
        if (material.equals(current)) {
            return false;
        }
        current = material;
        return true;
    }

    private Leaf issue(CertificateAuthority authority, Instant now) {
        return Leaf.parse(authority.issue(own, now), "the new certificate", "the new key");
    }

    private TlsMaterial material() {
        return new TlsMaterial(files.caPem(), Pem.ofCertificates(leaf.chain()), Pem.ofKey(leaf.key()), leaf.notAfter());
    }
}
