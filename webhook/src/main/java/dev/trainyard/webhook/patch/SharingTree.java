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
 * A changeable copy of a JSON object. Copy and original share all nodes, except the nodes on the path to a change, which are copied when
 * the change is made. A patch changes few places of a pod, and a full copy would cost more than all other steps together. Not thread-safe;
 * the original must not change while the copy is in use.
 */
final class SharingTree {

    private final ObjectNode root;
    private final Set<JsonNode> own = Collections.newSetFromMap(new IdentityHashMap<>());

    SharingTree(ObjectNode original) {
        root = (ObjectNode) copied(original);
    }

    /** Returns the root. Callers may change only the root itself and nodes that {@link #own} has returned. */
    ObjectNode root() {
        return root;
    }

    /**
     * Returns the object or list at {@code path}. The caller may change it, but not the objects and lists below it. A value or a missing
     * node is returned as it is.
     */
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

    /** Returns the child of {@code node} at the first step of {@code at}; a missing node if there is no such child. */
    static JsonNode child(JsonNode node, JsonPointer at) {
        return node.isArray() ? node.path(at.getMatchingIndex()) : node.path(at.getMatchingProperty());
    }

    /** Marks a new object or list as changeable without a copy. Other trees must not share {@code container}. */
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

    /** Returns a copy of an object or list. The copy has the same children as the original. */
    private JsonNode copied(JsonNode container) {
        JsonNode copy = container instanceof ArrayNode list
                ? JsonNodeFactory.instance.arrayNode(list.size() + 1).addAll(list)
                : new ObjectNode(JsonNodeFactory.instance, new LinkedHashMap<>(2 * container.size() + 2))
                        .setAll((ObjectNode) container);
        own.add(copy);
        return copy;
    }
}
