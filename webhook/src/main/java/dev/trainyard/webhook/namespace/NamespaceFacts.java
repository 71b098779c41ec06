package dev.trainyard.webhook.namespace;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What matters of a namespace: its annotations and labels. Immutable. */
public record NamespaceFacts(Map<String, String> annotations, Map<String, String> labels) {

    /** A namespace without annotations and labels. */
    public static final NamespaceFacts NONE = new NamespaceFacts(Map.of(), Map.of());

    private static final String ENFORCED_LEVEL = "pod-security.kubernetes.io/enforce";
    // The levels of Pod Security admission under which any hostPath volume makes a pod be rejected.
    private static final Set<String> LEVELS_WITHOUT_HOST_PATHS = Set.of("baseline", "restricted");

    public NamespaceFacts {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
    }

    /** The Pod Security level that forbids host paths here; empty when none does. */
    public Optional<String> levelThatForbidsHostPaths() {
        return Optional.ofNullable(labels.get(ENFORCED_LEVEL)).filter(LEVELS_WITHOUT_HOST_PATHS::contains);
    }
}
