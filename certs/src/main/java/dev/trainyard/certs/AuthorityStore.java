package dev.trainyard.certs;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store of the CA that replicas share. Failures are {@link TlsException}s that name the store. */
public interface AuthorityStore {

    /**
     * Stored data and their version.
     *
     * @param data texts by name, possibly including texts that do not belong to {@link SharedAuthority}
     * @param version a value that changes with every write
     */
    record Stored(Map<String, String> data, String version) {
        /** Omits the texts, so that no private key can appear in a log. */
        @Override
        public String toString() {
            return "Stored[names=" + data.keySet() + ", version=" + version + "]";
        }
    }

    /** Returns the stored data; empty if there are none. */
    Optional<Stored> read();

    /**
     * Replaces the entries whose names are in {@link SharedAuthority#NAMES}, and keeps all other entries.
     *
     * @param expected the version to replace; null requires that no data is stored yet
     * @return whether the data were written; false if the stored version differs from the expected one
     */
    boolean write(Map<String, String> data, @Nullable String expected);

    /** Returns the name of the store for messages, such as {@code Secret trainyard-system/trainyard-webhook-ca}. */
    String name();
}
