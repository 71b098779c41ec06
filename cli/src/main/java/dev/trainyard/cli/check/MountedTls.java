package dev.trainyard.cli.check;

import java.util.Map;
import java.util.Optional;

/**
 * A Secret of cert-manager or of a user that a component mounts as its directory of certificates.
 *
 * @param component the component, such as {@code webhook}
 * @param flag the flag that names the directory, such as {@code --tls-dir}
 * @param files the certificates by file names such as {@code ca.crt}, and an empty text for {@link #CA_KEY} if the Secret has this key;
 *     empty if the Secret is missing
 */
record MountedTls(String secret, String component, String flag, ReadResult<Optional<Map<String, String>>> files) {

    /** The name of the CA's private key, with which replicas sign their own certificates. The text of the key is never kept. */
    static final String CA_KEY = "ca.key";
}
