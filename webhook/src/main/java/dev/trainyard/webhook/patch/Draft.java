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

    private final SharingTree tree;
    private final ArrayNode operations = NODES.arrayNode();
    // Containers that an operation carries as its value: tree and operation share the node, so changing it changes
    // both.
    private final Set<JsonNode> carried = Collections.newSetFromMap(new IdentityHashMap<>());

    private Draft(ObjectNode object) {
        this.tree = new SharingTree(object);
    }

    /**
     * Returns a draft of an object.
     *
     * @param object must not change while the draft is in use: they share what was not changed
     */
    public static Draft of(ObjectNode object) {
        return new Draft(object);
    }

    /** What stands at {@code path}; missing when it is absent or null. Not to be changed by the caller. */
    public JsonNode at(JsonPointer path) {
        var node = tree.root().at(path);
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
        } else if (parent.isObject()) {
            record(before.isMissingNode() ? "add" : "replace", path, value);
            ((ObjectNode) tree.own(parentPath)).set(path.last().getMatchingProperty(), value);
        } else if (parent.isArray() && !before.isMissingNode()) {
            record("replace", path, value);
            ((ArrayNode) tree.own(parentPath)).set(path.last().getMatchingIndex(), value);
        } else {
            throw new IllegalArgumentException("%s is not an object that could hold a member".formatted(parentPath));
        }
    }

    /** Adds {@code item} at the end of the list at {@code path}; takes it over. */
    public void append(JsonPointer path, JsonNode item) {
        var list = at(path);
        if (list.isMissingNode()) {
            put(path, NODES.arrayNode().add(item));
        } else if (list.isArray()) {
            record("add", path.appendProperty("-"), item);
            ((ArrayNode) tree.own(path)).add(item);
        } else {
            throw new IllegalArgumentException("%s is not a list".formatted(path));
        }
    }

    /** Removes the member at {@code path} of an object, if it is there. */
    public void remove(JsonPointer path) {
        if (tree.root().at(path.head()).has(path.last().getMatchingProperty())) {
            if (!isCarried(path)) {
                operations.addObject().put("op", "remove").put("path", path.toString());
            }
            ((ObjectNode) tree.own(path.head())).remove(path.last().getMatchingProperty());
        }
    }

    /** The object with all changes made. Not to be changed by the caller. */
    public ObjectNode tree() {
        return tree.root();
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
            tree.adopt(value);
        }
    }

    private boolean isCarried(JsonPointer path) {
        JsonNode ancestor = tree.root();
        for (var rest = path; !rest.tail().matches(); rest = rest.tail()) {
            ancestor = SharingTree.child(ancestor, rest);
            if (carried.contains(ancestor)) {
                return true;
            }
        }
        return false;
    }
}
