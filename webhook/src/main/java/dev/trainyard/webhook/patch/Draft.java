package dev.trainyard.webhook.patch;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * A JSON object under change: the tree as it stands, and the JSON Patch (RFC 6902) that leads there. Guarantees:
 *
 * <ul>
 *   <li>the object it was made of is never touched;
 *   <li>a change that changes nothing leaves no operation;
 *   <li>a parent that is absent or null is made in the same operation as its first child, and later changes below it go into that
 *       operation's value: an operation never depends on an earlier one having made its parent.
 * </ul>
 *
 * <p>For one thread.
 */
public final class Draft {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final ObjectNode tree;
    private final ArrayNode operations = NODES.arrayNode();
    // Containers that an operation carries as its value: tree and operation share the node, so changing it changes
    // both.
    private final Set<JsonNode> carried = Collections.newSetFromMap(new IdentityHashMap<>());

    private Draft(ObjectNode tree) {
        this.tree = tree;
    }

    public static Draft of(ObjectNode object) {
        return new Draft(object.deepCopy());
    }

    /** What stands at {@code path}; missing when it is absent or null. Not to be changed by the caller. */
    public JsonNode at(JsonPointer path) {
        var node = tree.at(path);
        return node.isNull() ? MissingNode.getInstance() : node;
    }

    /** Makes {@code value} stand at {@code path}; takes it over. */
    public void put(JsonPointer path, JsonNode value) {
        var before = at(path);
        if (before.equals(value)) {
            return;
        }
        var parentPath = path.head();
        var parent = at(parentPath);
        if (parent.isMissingNode()) {
            var made = NODES.objectNode();
            made.set(path.last().getMatchingProperty(), value);
            put(parentPath, made);
        } else if (parent instanceof ObjectNode object) {
            record(before.isMissingNode() ? "add" : "replace", path, value);
            object.set(path.last().getMatchingProperty(), value);
        } else if (parent instanceof ArrayNode array && !before.isMissingNode()) {
            record("replace", path, value);
            array.set(path.last().getMatchingIndex(), value);
        } else {
            throw new IllegalArgumentException("%s is not an object that could hold a member".formatted(parentPath));
        }
    }

    /** Adds {@code item} at the end of the list at {@code path}; takes it over. */
    public void append(JsonPointer path, JsonNode item) {
        var list = at(path);
        if (list.isMissingNode()) {
            put(path, NODES.arrayNode().add(item));
        } else if (list instanceof ArrayNode array) {
            record("add", path.appendProperty("-"), item);
            array.add(item);
        } else {
            throw new IllegalArgumentException("%s is not a list".formatted(path));
        }
    }

    /** Removes the member at {@code path} of an object, if it is there. */
    public void remove(JsonPointer path) {
        if (tree.at(path.head()) instanceof ObjectNode parent
                && parent.has(path.last().getMatchingProperty())) {
            if (!isCarried(path)) {
                operations.addObject().put("op", "remove").put("path", path.toString());
            }
            parent.remove(path.last().getMatchingProperty());
        }
    }

    /** The object with all changes made. Not to be changed by the caller. */
    public ObjectNode tree() {
        return tree;
    }

    /** The operations, in order; empty when nothing changed. */
    public ArrayNode operations() {
        return operations;
    }

    private void record(String operation, JsonPointer path, JsonNode value) {
        if (isCarried(path)) {
            return;
        }
        operations.addObject().put("op", operation).put("path", path.toString()).set("value", value);
        if (value.isContainerNode()) {
            carried.add(value);
        }
    }

    private boolean isCarried(JsonPointer path) {
        for (var ancestor = path.head(); ancestor != null; ancestor = ancestor.head()) {
            if (carried.contains(tree.at(ancestor))) {
                return true;
            }
        }
        return false;
    }
}
