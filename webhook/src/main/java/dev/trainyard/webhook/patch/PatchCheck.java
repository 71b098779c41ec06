package dev.trainyard.webhook.patch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/**
 * A check that applies a patch before the webhook sends it. If a patch does not apply, the API server rejects the pod with status 500,
 * whatever the webhook's {@code failurePolicy} is. If the webhook sends no patch, the API server admits the pod.
 */
public final class PatchCheck {

    private static final ObjectMapper JSON = new ObjectMapper();

    private PatchCheck() {}

    /**
     * Checks that the serialized form of {@code patch} is read as {@code patch}, and applies the patch to a copy of {@code received}.
     *
     * @return the serialized patch that was tried; exactly these bytes must be sent
     * @throws UnprovedPatchException if the patch does not apply, or does not lead to {@code expected}
     */
    public static byte[] proved(ObjectNode received, JsonNode patch, JsonNode expected) throws UnprovedPatchException {
        try {
            var json = JSON.writeValueAsBytes(patch);
            if (!isReadAs(patch, json)) {
                throw new UnprovedPatchException("the patch is read differently than it was written");
            }
            var result = new SharingTree(received);
            for (var operation : patch) {
                apply(operation, result);
            }
            if (!result.root().equals(expected)) {
                throw new UnprovedPatchException("the patch does not produce the expected pod");
            }
            return json;
        } catch (IOException e) {
            throw new UnprovedPatchException("the patch cannot be parsed: " + e.getMessage());
        }
    }

    /** Whether the API server reads {@code json} as {@code node}. No second tree is built, because this would take twice as long. */
    private static boolean isReadAs(JsonNode node, byte[] json) throws IOException {
        try (var parser = JSON.createParser(json)) {
            parser.nextToken();
            return isReadAs(node, parser) && parser.nextToken() == null;
        }
    }

    private static boolean isReadAs(JsonNode node, JsonParser parser) throws IOException {
        int read = 0;
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    var member = node.path(parser.currentName());
                    parser.nextToken();
                    if (!isReadAs(member, parser)) {
                        return false;
                    }
                    read++;
                }
                return node.isObject() && node.size() == read;
            }
            case START_ARRAY -> {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    if (!isReadAs(node.path(read), parser)) {
                        return false;
                    }
                    read++;
                }
                return node.isArray() && node.size() == read;
            }
            case VALUE_STRING -> {
                return parser.getText().equals(node.textValue());
            }
            default -> {
                return node.equals(JSON.readTree(parser));
            }
        }
    }

    /** Applies an operation by the rules of RFC 6902. Our patches do not contain {@code move}, {@code copy} or {@code test}. */
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
            throw doesNotApply(operation, "the path does not exist");
        }
        switch (op) {
            case "add", "replace" -> object.set(name, operation.get("value"));
            case "remove" -> object.remove(name);
            default -> throw doesNotApply(operation, "expected the operation add, replace or remove");
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
            default -> throw doesNotApply(operation, "expected the operation add, replace or remove");
        }
    }

    private static UnprovedPatchException doesNotApply(JsonNode operation, String why) {
        return new UnprovedPatchException("the patch does not apply: %s %s: %s"
                .formatted(operation.path("op").asText(), operation.path("path").asText(), why));
    }
}
