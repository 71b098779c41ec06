package dev.trainyard.cli.check;

import java.util.Optional;
import java.util.Set;

/**
 * A ConfigMap or Secret without which the pods of a Deployment do not start.
 *
 * @param field of the Deployment that names it
 * @param needed those of its keys that are named, too
 * @param keys that it has; empty when there is no such object
 */
record Named(
        String kind,
        String name,
        String deployment,
        String field,
        Set<String> needed,
        Part<Optional<Set<String>>> keys) {}
