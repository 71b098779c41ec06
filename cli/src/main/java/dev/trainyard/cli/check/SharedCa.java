package dev.trainyard.cli.check;

import java.util.Optional;

/**
 * A CA that replicas share.
 *
 * @param secret the name of the Secret
 * @param usedBy the Deployments that use the CA, such as {@code trainyard-webhook}
 * @param runs whether one of these Deployments has replicas
 * @param certificates the certificates as PEM, without keys; empty if the Secret is missing
 */
record SharedCa(String secret, String usedBy, boolean runs, ReadResult<Optional<String>> certificates) {}
