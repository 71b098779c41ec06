package dev.trainyard.simulation.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.function.Consumer;

/** Copies of objects that are changed where JSON has the change, whatever their class lets others change. */
public final class Edited {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Edited() {}

    /**
     * A copy with a change; the object itself stays as it is.
     *
     * @param change of what it is as JSON
     * @throws IllegalStateException when it is no object of that type any more
     */
    public static <T extends HasMetadata> T of(T object, Class<T> type, Consumer<ObjectNode> change) {
        ObjectNode tree = JSON.valueToTree(object);
        change.accept(tree);
        try {
            return JSON.treeToValue(tree, type);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "%s %s cannot be read again after a change".formatted(object.getKind(), Shelf.key(object)), e);
        }
    }
}
