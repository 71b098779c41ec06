package dev.trainyard.webhook.patch;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Set;

/**
 * A JSON object that can be changed and leaves the one it was made of alone. The two share all nodes but those on the way to a change,
 * which are copied when it is made: a patch touches few places of a pod, and a copy of all of it costs more than all else together.
 * For one thread; the object it was made of must not change meanwhile.
 */
final class SharingTree {

    private final ObjectNode root;
    private final Set<JsonNode> own = Collections.newSetFromMap(new IdentityHashMap<>());

    SharingTree(ObjectNode original) {
        root = (ObjectNode) copied(original);
    }

    /** To be changed only at nodes that {@link #own} has returned, and at itself. */
    ObjectNode root() {
        return root;
    }

    /** The object or list at {@code path}, free to be changed itself; anything else, missing included, as it is. */
    JsonNode own(JsonPointer path) {
        JsonNode node = root;
        for (var rest = path; !rest.matches(); rest = rest.tail()) {
            var child = child(node, rest);
            if (!child.isContainerNode()) {
                return rest.tail().matches() ? child : child.at(rest.tail());
            }
            node = own.contains(child) ? child : replaced(node, rest, copied(child));
        }
        return node;
    }

    /** The node that the first step of {@code at} leads to; missing when there is none. */
    static JsonNode child(JsonNode node, JsonPointer at) {
        return node.isArray() ? node.path(at.getMatchingIndex()) : node.path(at.getMatchingProperty());
    }

    /** From now on {@code container}, new and shared with no other tree, is changed itself. */
    void adopt(JsonNode container) {
        own.add(container);
    }

    private static JsonNode replaced(JsonNode parent, JsonPointer at, JsonNode child) {
        if (parent instanceof ArrayNode list) {
            list.set(at.getMatchingIndex(), child);
        } else {
            ((ObjectNode) parent).set(at.getMatchingProperty(), child);
        }
        return child;
    }

    /** A new container with the same children. */
    private JsonNode copied(JsonNode container) {
        JsonNode copy = container instanceof ArrayNode list
                ? JsonNodeFactory.instance.arrayNode(list.size() + 1).addAll(list)
                : new ObjectNode(JsonNodeFactory.instance, new LinkedHashMap<>(2 * container.size() + 2))
                        .setAll((ObjectNode) container);
        own.add(copy);
        return copy;
    }
}
