package dev.trainyard.certs;

import java.time.Instant;

/**
 * The certificate that a component presents in TLS, and the CAs that it trusts. The implementations differ in the source: a directory, or a CA
 * that replicas share. Thread-safe.
 */
public interface Credentials extends AutoCloseable {
    /** Returns matching certificates and key; the same object until they change. */
    TlsMaterial current();

    /**
     * Applies changes of the source, and renews certificates that are due at that time. May read and write files. It must be called regularly with
     * the wall clock's time, because machines are suspended and clocks are adjusted.
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
