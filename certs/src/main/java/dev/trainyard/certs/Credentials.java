package dev.trainyard.certs;

import java.time.Instant;

/**
 * What a component proves by TLS who it is with, and whom it trusts. Where that comes from is the implementation's matter: a
 * directory, a CA that replicas share. Thread-safe.
 */
public interface Credentials extends AutoCloseable {
    /** Certificates and key that fit together; the same object until something changes. */
    TlsMaterial current();

    /**
     * Takes up what has changed, and renews what is due at that time. May read and write files; to be called every now and then
     * with the wall clock's time, since machines are suspended and clocks are set.
     *
     * @return whether {@link #current()} changed
     * @throws TlsException when that failed: nothing changed, and the last good certificates stay in use
     */
    boolean refresh(Instant now);

    /** What to trust: one or several CA certificates. */
    default String caPem() {
        return current().caPem();
    }

    /** Ends what looks for changes; most have nothing to end. */
    @Override
    default void close() {}
}
