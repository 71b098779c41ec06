package dev.trainyard.cli.check;

import java.util.Optional;
import java.util.Set;

/**
 * A ConfigMap or Secret without which the pods of a Deployment do not start.
 *
 * @param field the field of the Deployment that names the object
 * @param needed the keys that the Deployment refers to
 * @param keys the keys of the object; empty if the object is missing
 */
record RequiredObject(
        String kind,
        String name,
        String deployment,
        String field,
        Set<String> needed,
        ReadResult<Optional<Set<String>>> keys) {}
