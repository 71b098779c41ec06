package dev.trainyard.certs;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where replicas keep the CA that they share. Failures are {@link TlsException}s that name the place. */
public interface AuthorityStore {

    /**
     * Stored data and their version.
     *
     * @param data texts by name; others than those of {@link SharedAuthority} may be among them
     * @param version changes with every write
     */
    record Stored(Map<String, String> data, String version) {
        /** Never shows the keys, so that they cannot slip into a log. */
        @Override
        public String toString() {
            return "Stored[names=" + data.keySet() + ", version=" + version + "]";
        }
    }

    /** What is there; empty when there is nothing. */
    Optional<Stored> read();

    /**
     * Replaces the texts of {@link SharedAuthority#NAMES}, and leaves all others.
     *
     * @param expected the version that is replaced; null: nothing must be there
     * @return false when something else is there than was expected, and nothing was written
     */
    boolean write(Map<String, String> data, @Nullable String expected);

    /** What messages call it, such as {@code Secret trainyard-system/trainyard-webhook-ca}. */
    String name();
}
