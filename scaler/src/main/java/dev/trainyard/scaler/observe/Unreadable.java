package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Objects;

/**
 * An object that is malformed. It is left out and reported; all others go their way.
 *
 * @param kind {@code Pod} or {@code Node}
 * @param namespace empty for a node
 * @param message what is wrong with it
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
