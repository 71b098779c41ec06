package dev.trainyard.core.admission;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a pod comes from, and what its author and the administrator of its namespace say of it. Immutable.
 *
 * @param annotations of the pod
 * @param ownerKinds the kinds of the objects that own the pod
 * @param facts of its namespace
 */
public record PodOrigin(
        String namespace, Map<String, String> annotations, List<String> ownerKinds, NamespaceFacts facts) {

    public PodOrigin {
        annotations = Map.copyOf(annotations);
        ownerKinds = List.copyOf(ownerKinds);
    }

    /** The pod's annotation {@code name}, unless it is absent or blank. */
    public Optional<String> annotation(String name) {
        return said(annotations, name);
    }

    /** The namespace's annotation {@code name}, unless it is absent or blank. */
    public Optional<String> namespaceAnnotation(String name) {
        return said(facts.annotations(), name);
    }

    private static Optional<String> said(Map<String, String> annotations, String name) {
        return Optional.ofNullable(annotations.get(name)).map(String::strip).filter(value -> !value.isEmpty());
    }
}
