package dev.trainyard.cli.check;

import java.util.Map;
import java.util.Optional;

/**
 * A Secret that a part mounts as its directory of certificates: cert-manager's, or a user's own.
 *
 * @param component such as {@code webhook}
 * @param flag that names the directory, such as {@code --tls-dir}
 * @param files the certificates, by names such as {@code ca.crt}; {@link #CA_KEY}, with no text, where there is one; empty when there is no
 *     such Secret
 */
record MountedTls(
        String secret, String deployment, String component, String flag, Part<Optional<Map<String, String>>> files) {

    /** By which replicas sign certificates for themselves. It stays where it is. */
    static final String CA_KEY = "ca.key";
}
