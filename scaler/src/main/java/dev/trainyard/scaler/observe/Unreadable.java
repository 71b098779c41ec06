package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Objects;

/**
 * An object that could not be read. The round reports the object and still reads all other objects.
 *
 * @param kind the Kubernetes kind, such as {@code Pod} or {@code Node}
 * @param namespace empty for a node
 * @param message the error
 */
public record Unreadable(String kind, String namespace, String name, String message) {

    static Unreadable of(String kind, ObjectMeta object, RuntimeException problem) {
        return new Unreadable(
                kind,
                Objects.requireNonNullElse(object.getNamespace(), ""),
                object.getName(),
                "it cannot be read: " + problem.getMessage());
    }
}
