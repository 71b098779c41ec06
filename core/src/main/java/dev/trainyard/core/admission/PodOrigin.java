package dev.trainyard.core.admission;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The origin of a pod: the pod's namespace, owners and annotations, and the annotations and labels of the namespace. Immutable.
 *
 * @param annotations annotations of the pod
 * @param ownerKinds the kinds of the objects that own the pod
 * @param facts annotations and labels of the pod's namespace
 */
public record PodOrigin(
        String namespace, Map<String, String> annotations, List<String> ownerKinds, NamespaceFacts facts) {

    public PodOrigin {
        annotations = Map.copyOf(annotations);
        ownerKinds = List.copyOf(ownerKinds);
    }

    /** Returns the pod's annotation {@code name}; empty if it is absent or blank. */
    public Optional<String> annotation(String name) {
        return annotation(annotations, name);
    }

    /** Returns the namespace's annotation {@code name}; empty if it is absent or blank. */
    public Optional<String> namespaceAnnotation(String name) {
        return annotation(facts.annotations(), name);
    }

    /** Returns the annotation {@code name}; empty if it is absent or blank. */
    public static Optional<String> annotation(Map<String, String> annotations, String name) {
        return Optional.ofNullable(annotations.get(name)).map(String::strip).filter(value -> !value.isEmpty());
    }
}
