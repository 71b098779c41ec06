package dev.trainyard.simulation.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.function.Consumer;

/** Changed copies of Kubernetes objects. Changes are made in an object's JSON, so that the object's class needs no setters. */
public final class Edited {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Edited() {}

    /**
     * Returns a copy of an object with a change. The object itself does not change.
     *
     * @param change edits the object's JSON
     * @throws IllegalStateException if the changed JSON is not an object of that type
     */
    public static <T extends HasMetadata> T of(T object, Class<T> type, Consumer<ObjectNode> change) {
        ObjectNode tree = JSON.valueToTree(object);
        change.accept(tree);
        try {
            return JSON.treeToValue(tree, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "the changed %s %s cannot be read from JSON".formatted(object.getKind(), ObjectStore.key(object)),
                    e);
        }
    }
}
