package dev.trainyard.webhook.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.webhook.namespace.NamespaceFacts;
import java.util.Optional;

/**
 * A pod that is being created.
 *
 * @param pod as received; never changed
 * @param namespace of the request; the pod's own metadata may lack it
 */
public record PodRequest(ObjectNode pod, String namespace, NamespaceFacts facts) {

    /** The pod's annotation {@code name}, unless it is absent or blank. */
    public Optional<String> annotation(String name) {
        return Optional.of(pod.path("metadata").path("annotations").path(name))
                .filter(JsonNode::isTextual)
                .map(value -> value.asText().strip())
                .filter(value -> !value.isEmpty());
    }

    /** The namespace's annotation {@code name}, unless it is absent or blank. */
    public Optional<String> namespaceAnnotation(String name) {
        return Optional.ofNullable(facts.annotations().get(name))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }
}
