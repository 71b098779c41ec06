package dev.trainyard.core.admission;

import dev.trainyard.core.Names;
import java.util.Map;
import java.util.Optional;

/** The annotations and labels of a namespace. Immutable. */
public record NamespaceFacts(Map<String, String> annotations, Map<String, String> labels) {

    /** A namespace without annotations and labels. */
    public static final NamespaceFacts NONE = new NamespaceFacts(Map.of(), Map.of());

    private static final String ENFORCED_LEVEL = "pod-security.kubernetes.io/enforce";
    private static final String PRIVILEGED = "privileged";

    public NamespaceFacts {
        annotations = Map.copyOf(annotations);
        labels = Map.copyOf(labels);
    }

    /** Whether all pods of the namespace are sent to the webhook, including pods that request no GPU and name no tier. */
    public boolean sendsAllPods() {
        return "true".equalsIgnoreCase(labels.get(Names.ALL_PODS));
    }

    /**
     * Returns the enforced Pod Security level if that level rejects pods with a hostPath volume; empty if no such level is enforced. An unknown
     * level counts as the strictest, as in {@code k8s.io/pod-security-admission/api.PolicyToEvaluate}.
     */
    public Optional<String> levelThatForbidsHostPaths() {
        return Optional.ofNullable(labels.get(ENFORCED_LEVEL)).filter(level -> !level.equals(PRIVILEGED));
    }
}
