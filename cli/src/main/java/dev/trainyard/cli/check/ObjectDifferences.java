package dev.trainyard.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The fields in which an object differs from the manifests, including additional fields. Defaults that the API server fills in are ignored.
 * Different amounts of white space within texts are ignored too.
 */
final class ObjectDifferences {

    /** @param field the path of the field, such as {@code spec.validations[0].expression} */
    record Difference(String field, String value, String expected) {}

    /** The values that the API server gives to fields that are not set. */
    private static final Set<String> DEFAULTS = Set.of("", "*", "Equivalent", "false");

    private final List<Difference> differences = new ArrayList<>();

    private ObjectDifferences() {}

    /** @param path the path of both values, such as {@code spec} */
    static List<Difference> of(String path, JsonNode found, JsonNode expected) {
        var all = new ObjectDifferences();
        all.compare(path, found, expected);
        return all.differences;
    }

    private void compare(String path, JsonNode found, JsonNode expected) {
        if (found.isObject() && expected.isObject()) {
            var names = new LinkedHashSet<String>();
            expected.fieldNames().forEachRemaining(names::add);
            found.fieldNames().forEachRemaining(names::add);
            names.forEach(name -> compare(path + "." + name, found.path(name), expected.path(name)));
        } else if (found.isArray() && expected.isArray() && found.size() == expected.size()) {
            for (int i = 0; i < found.size(); i++) {
                compare("%s[%d]".formatted(path, i), found.get(i), expected.get(i));
            }
        } else if (!text(found).equals(text(expected)) && !(expected.isMissingNode() && isDefault(found))) {
            var excerpts = Excerpts.of(text(found), text(expected));
            differences.add(new Difference(
                    path, excerpts.value(), expected.isMissingNode() ? "no such field" : excerpts.expected()));
        }
    }

    private static boolean isDefault(JsonNode found) {
        return found.isNull() || (found.isContainerNode() ? found.isEmpty() : DEFAULTS.contains(found.asText()));
    }

    private static String text(JsonNode node) {
        return (node.isValueNode() && !node.isNull() ? node.asText() : node.isContainerNode() ? node.toString() : "")
                .trim()
                .replaceAll("\\s+", " ");
    }
}
