package dev.trainyard.cli.check;

import java.util.Map;
import java.util.Optional;

/**
 * A Secret that a component mounts as its directory of certificates, made by cert-manager or by a user.
 *
 * @param component the component, such as {@code webhook}
 * @param flag the flag that names the directory, such as {@code --tls-dir}
 * @param files the certificates by names such as {@code ca.crt}, and an empty text for {@link #CA_KEY} if the Secret has this key; empty if
 *     the Secret is missing
 */
record MountedTls(String secret, String component, String flag, ReadResult<Optional<Map<String, String>>> files) {

    /** The private key with which replicas sign their own certificates. Its text is never kept. */
    static final String CA_KEY = "ca.key";
}
