package dev.trainyard.core.admission;

import dev.trainyard.core.Names;
import java.util.Map;
import java.util.Optional;

/** What matters of a namespace: its annotations and labels. Immutable. */
public record NamespaceFacts(Map<String, String> annotations, Map<String, String> labels) {

    /** A namespace without annotations and labels. */
    public static final NamespaceFacts NONE = new NamespaceFacts(Map.of(), Map.of());

    private static final String ENFORCED_LEVEL = "pod-security.kubernetes.io/enforce";
    private static final String PRIVILEGED = "privileged";

    public NamespaceFacts {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
    }

    /** Whether all pods of the namespace are the webhook's business, also those that ask for no GPU and name no tier. */
    public boolean sendsAllPods() {
        return "true".equalsIgnoreCase(labels.get(Names.ALL_PODS));
    }

    /**
     * The Pod Security level by which any hostPath volume makes a pod be rejected here; empty when none does. A word that is no level
     * counts as the strictest, as in {@code k8s.io/pod-security-admission/api.PolicyToEvaluate}.
     */
    public Optional<String> levelThatForbidsHostPaths() {
        return Optional.ofNullable(labels.get(ENFORCED_LEVEL)).filter(level -> !level.equals(PRIVILEGED));
    }
}
