package dev.trainyard.webhook.patch;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * Proves a patch by applying it. The API server answers 500 for a patch that does not apply, whatever the webhook's
 * {@code failurePolicy}, so a patch that was not tried is worse than none.
 */
public final class PatchCheck {

    private static final ObjectMapper JSON = new ObjectMapper();

    private PatchCheck() {}

    /**
     * Applies {@code patch}, as it goes over the wire, to {@code received}, which stays as it is.
     *
     * @return the patch as it was tried: these bytes are to be sent, not others
     * @throws UnprovedPatchException when it does not apply, or does not lead to {@code expected}
     */
    public static byte[] proved(ObjectNode received, JsonNode patch, JsonNode expected) throws UnprovedPatchException {
        try {
            var json = JSON.writeValueAsBytes(patch);
            // Read back: equal to what the API server will read, and sharing no node with the trees.
            var result = new SharingTree(received);
            for (var operation : JSON.readTree(json)) {
                apply(operation, result);
            }
            if (!result.root().equals(expected)) {
                throw new UnprovedPatchException("the patch leads to another pod than wanted");
            }
            return json;
        } catch (IOException e) {
            throw new UnprovedPatchException("the patch cannot be read back: " + e.getMessage());
        }
    }

    /** By the rules of RFC 6902; {@code move}, {@code copy} and {@code test} do not occur in our patches. */
    private static void apply(JsonNode operation, SharingTree target) throws UnprovedPatchException {
        var path = JsonPointer.compile(operation.path("path").asText());
        if (path.matches()) {
            throw doesNotApply(operation, "it would replace the pod as a whole");
        }
        var parent = target.own(path.head());
        if (parent instanceof ObjectNode object) {
            applyToMember(operation, object, path.last().getMatchingProperty());
        } else if (parent instanceof ArrayNode list) {
            applyToItem(operation, list, path.last());
        } else {
            throw doesNotApply(operation, "there is no object or list to change");
        }
    }

    private static void applyToMember(JsonNode operation, ObjectNode object, String name)
            throws UnprovedPatchException {
        var op = operation.path("op").asText();
        if (!op.equals("add") && !object.has(name)) {
            throw doesNotApply(operation, "it is not there");
        }
        switch (op) {
            case "add", "replace" -> object.set(name, operation.get("value"));
            case "remove" -> object.remove(name);
            default -> throw doesNotApply(operation, "an operation that was not expected");
        }
    }

    private static void applyToItem(JsonNode operation, ArrayNode list, JsonPointer item)
            throws UnprovedPatchException {
        var op = operation.path("op").asText();
        boolean atEnd = op.equals("add") && item.getMatchingProperty().equals("-");
        int index = atEnd ? list.size() : item.getMatchingIndex();
        if (index < 0 || index > list.size() - (op.equals("add") ? 0 : 1)) {
            throw doesNotApply(operation, "the list has %d items".formatted(list.size()));
        }
        switch (op) {
            case "add" -> list.insert(index, operation.get("value"));
            case "replace" -> list.set(index, operation.get("value"));
            case "remove" -> list.remove(index);
            default -> throw doesNotApply(operation, "an operation that was not expected");
        }
    }

    private static UnprovedPatchException doesNotApply(JsonNode operation, String why) {
        return new UnprovedPatchException("the patch does not apply: %s %s: %s"
                .formatted(operation.path("op").asText(), operation.path("path").asText(), why));
    }
}
