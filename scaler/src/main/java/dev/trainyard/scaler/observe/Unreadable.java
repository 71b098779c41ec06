package dev.trainyard.scaler.observe;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;
import java.util.Optional;

/**
 * An object that could not be read. The round reports the object and still reads all other objects.
 *
 * @param kind the Kubernetes kind, such as {@code Pod} or {@code Node}
 * @param namespace empty for a node
 * @param message the error
 */
public record Unreadable(String kind, String namespace, String name, String message) {

    /** Returns the report that annotations of a pod are invalid and therefore have no effect. */
    static Unreadable annotation(Pod pod, String problem) {
        return of(
                "Pod",
                pod.getMetadata(),
                problem
                        + "; the pod is treated as if it stated no deadline: correct the pod template, and create the Job again");
    }

    /** Returns the report that the deadline of a pod has no effect, because the pod's tier does not allow deadlines. */
    static Unreadable refused(Pod pod, Optional<String> tier) {
        return of(
                "Pod",
                pod.getMetadata(),
                "annotation %s has no effect, because %s: use a tier with spec.deadlines: true, or ask the administrator to set it"
                        .formatted(
                                Names.DEADLINE,
                                tier.map(name -> "tier %s does not allow deadlines".formatted(name))
                                        .orElse("the pod has no tier")));
    }

    static Unreadable of(String kind, ObjectMeta object, RuntimeException problem) {
        return of(kind, object, "it cannot be read: " + problem.getMessage());
    }

    private static Unreadable of(String kind, ObjectMeta object, String message) {
        return new Unreadable(kind, Objects.requireNonNullElse(object.getNamespace(), ""), object.getName(), message);
    }
}
