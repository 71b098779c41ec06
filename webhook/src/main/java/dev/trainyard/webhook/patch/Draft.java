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
 * A JSON object under change: its current tree, and the JSON Patch (RFC 6902) from the original object to this tree. Guarantees:
 *
 * <ul>
 *   <li>the original object never changes;
 *   <li>a change without effect adds no operation;
 *   <li>an absent or null parent is created in the same operation as its first child. Later changes below this parent are merged into that
 *       operation, so no operation needs a parent that an earlier operation creates.
 * </ul>
 *
 * <p>Not thread-safe.
 */
public final class Draft {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final SharingTree tree;
    private final ArrayNode operations = NODES.arrayNode();
    // Objects and lists that are the value of an operation. The tree and the operation share such a node, so a change
    // of the node changes both.
    private final Set<JsonNode> carried = Collections.newSetFromMap(new IdentityHashMap<>());

    private Draft(ObjectNode object) {
        this.tree = new SharingTree(object);
    }

    /**
     * Returns a draft of an object.
     *
     * @param object the original, which must not change while the draft is in use, because the draft shares its unchanged parts
     */
    public static Draft of(ObjectNode object) {
        return new Draft(object);
    }

    /** Returns the node at {@code path}; a missing node if it is absent or null. The caller must not change the node. */
    public JsonNode at(JsonPointer path) {
        var node = tree.root().at(path);
        return node.isNull() ? MissingNode.getInstance() : node;
    }

    /** Sets the node at {@code path} to {@code value}. The draft owns {@code value} from then on. */
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
            record(before.isMissingNode() ? "add" : "replace", parentPath, path.toString(), value);
            ((ObjectNode) tree.own(parentPath)).set(path.last().getMatchingProperty(), value);
        } else if (parent.isArray() && !before.isMissingNode()) {
            record("replace", parentPath, path.toString(), value);
            ((ArrayNode) tree.own(parentPath)).set(path.last().getMatchingIndex(), value);
        } else {
            throw new IllegalArgumentException(
                    "%s must be an object, or a list that has the item".formatted(parentPath));
        }
    }

    /** Appends {@code item} to the list at {@code path}. The draft owns {@code item} from then on. */
    public void append(JsonPointer path, JsonNode item) {
        var list = at(path);
        if (list.isMissingNode()) {
            put(path, NODES.arrayNode().add(item));
        } else if (list.isArray()) {
            record("add", path, path + "/-", item);
            ((ArrayNode) tree.own(path)).add(item);
        } else {
            throw new IllegalArgumentException("%s is not a list".formatted(path));
        }
    }

    /** Removes the object member at {@code path}, if present. */
    public void remove(JsonPointer path) {
        if (tree.root().at(path.head()).has(path.last().getMatchingProperty())) {
            if (!isCarried(path.head())) {
                operations.addObject().put("op", "remove").put("path", path.toString());
            }
            ((ObjectNode) tree.own(path.head())).remove(path.last().getMatchingProperty());
        }
    }

    /** Returns the object with all changes. The caller must not change the object. */
    public ObjectNode tree() {
        return tree.root();
    }

    /** Returns the operations in order; empty if nothing changed. */
    public ArrayNode operations() {
        return operations;
    }

    /**
     * Adds an operation, unless an earlier operation carries the changed parent.
     *
     * @param path the path in the operation, one step below {@code parent}
     */
    private void record(String operation, JsonPointer parent, String path, JsonNode value) {
        if (isCarried(parent)) {
            return;
        }
        operations.addObject().put("op", operation).put("path", path).set("value", value);
        if (value.isContainerNode()) {
            carried.add(value);
            tree.adopt(value);
        }
    }

    /** Whether the node at {@code path} is part of the value of an operation. */
    private boolean isCarried(JsonPointer path) {
        JsonNode node = tree.root();
        for (var rest = path; !rest.matches(); rest = rest.tail()) {
            node = SharingTree.child(node, rest);
            if (carried.contains(node)) {
                return true;
            }
        }
        return false;
    }
}
