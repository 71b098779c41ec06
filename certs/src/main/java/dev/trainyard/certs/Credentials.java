package dev.trainyard.certs;

import java.time.Instant;

/**
 * The certificate that a component presents in TLS, and the CAs that it trusts. Each implementation reads a different source: a directory,
 * or a CA that replicas share. Thread-safe.
 */
public interface Credentials extends AutoCloseable {
    /** Returns the current certificates and the matching key; the same object until one of them changes. */
    TlsMaterial current();

    /**
     * Applies changes of the source, and renews certificates that are due at the given time. May read and write files. Callers must call
     * this method regularly with the wall clock's time. A single timer would be too late after a machine was suspended or a clock was
     * adjusted.
     *
     * @return whether {@link #current()} changed
     * @throws TlsException if the refresh failed; the last good certificates stay in use
     */
    boolean refresh(Instant now);

    /** Returns the trusted CA certificates, one or several. */
    default String caPem() {
        return current().caPem();
    }

    /** Stops the watch for changes, if the implementation has one. */
    @Override
    default void close() {}
}
