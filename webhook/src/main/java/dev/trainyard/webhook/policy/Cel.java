package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** A converter from data to CEL literals. */
final class Cel {

    private Cel() {}

    /**
     * Returns the CEL literal of a text, a whole number, a boolean, or a list or object of such values. In a list of objects, each object
     * has its own line.
     */
    static String literal(JsonNode data) {
        boolean onLines = data.isArray() && !data.isEmpty() && data.get(0).isObject();
        return onLines ? members(data).stream().collect(Collectors.joining(",\n  ", "[\n  ", "]")) : inline(data);
    }

    private static String inline(JsonNode data) {
        if (data.isArray()) {
            return "[" + String.join(", ", members(data)) + "]";
        }
        if (data.isObject()) {
            return data.properties().stream()
                    .map(entry -> TextNode.valueOf(entry.getKey()) + ": " + member(data, entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (data.isTextual() || data.isIntegralNumber() || data.isBoolean()) {
            return data.toString(); // CEL knows all escapes that Jackson writes
        }
        throw new IllegalArgumentException("%s cannot be written as a CEL literal".formatted(data));
    }

    private static List<String> members(JsonNode list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(item -> member(list, item))
                .toList();
    }

    /** Returns the literal of a member. In the API server's CEL, members of different types must be {@code dyn}. */
    private static String member(JsonNode parent, JsonNode member) {
        return typeOfMembers(parent).equals("dyn") ? "dyn(" + inline(member) + ")" : inline(member);
    }

    private static String typeOfMembers(JsonNode parent) {
        var types = StreamSupport.stream(parent.spliterator(), false)
                .map(Cel::type)
                .distinct()
                .toList();
        return types.size() == 1 ? types.get(0) : "dyn";
    }

    private static String type(JsonNode data) {
        if (data.isContainerNode()) {
            return (data.isArray() ? "list of " : "map of ") + typeOfMembers(data);
        }
        return data.getNodeType().name();
    }
}
