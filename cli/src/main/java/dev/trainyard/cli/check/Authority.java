package dev.trainyard.cli.check;

import java.util.Optional;

/**
 * A CA that replicas share.
 *
 * @param secret by its name
 * @param usedBy who is told of it, such as {@code trainyard-webhook}
 * @param certificates as PEM, without keys; empty when there is no such Secret
 */
record Authority(String secret, String usedBy, boolean runs, Part<Optional<String>> certificates) {}
