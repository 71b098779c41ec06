package dev.trainyard.cli.released;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/**
 * The incompatible changes between two versions of a CustomResourceDefinition: a removed field, or a value that is now refused. Defaults
 * and descriptions may change, because stored objects keep their values.
 */
final class SchemaChanges {

    private static final List<String> UPPER = List.of("maximum", "maxLength", "maxItems", "maxProperties");
    private static final List<String> LOWER = List.of("minimum", "minLength", "minItems", "minProperties");

    /** The keywords whose values must stay equal. */
    private static final List<String> FIXED = List.of(
            "type",
            "pattern",
            "format",
            "x-kubernetes-list-type",
            "x-kubernetes-list-map-keys",
            "x-kubernetes-int-or-string");

    private final List<String> found = new ArrayList<>();

    private SchemaChanges() {}

    /** Returns a line for each change, with the field; empty if all objects valid before are still valid. */
    static List<String> between(JsonNode before, JsonNode after) {
        var changes = new SchemaChanges();
        for (var name : List.of("/spec/group", "/spec/scope", "/spec/names/plural", "/spec/names/kind")) {
            if (!before.at(name).equals(after.at(name))) {
                changes.add(name, "is another");
            }
        }
        before.at("/spec/names/shortNames").forEach(name -> {
            if (!contains(after.at("/spec/names/shortNames"), name)) {
                changes.add("/spec/names/shortNames", name.asText() + " is gone");
            }
        });
        before.at("/spec/versions").forEach(version -> changes.version(version, after.at("/spec/versions")));
        return List.copyOf(changes.found);
    }

    private void version(JsonNode before, JsonNode versions) {
        var name = before.path("name").asText();
        var after = StreamSupport.stream(versions.spliterator(), false)
                .filter(version -> version.path("name").asText().equals(name))
                .findFirst();
        if (after.isEmpty() || !after.get().path("served").asBoolean()) {
            add(name, "is not served any more");
            return;
        }
        if (before.path("subresources").has("status")
                && !after.get().path("subresources").has("status")) {
            add(name, "has no status of its own any more");
        }
        schema(name, before.at("/schema/openAPIV3Schema"), after.get().at("/schema/openAPIV3Schema"));
    }

    private void schema(String path, JsonNode before, JsonNode after) {
        FIXED.stream()
                .filter(field -> after.has(field) && !after.path(field).equals(before.path(field)))
                .forEach(field -> add(path, "%s is %s".formatted(field, after.path(field))));
        UPPER.stream()
                .filter(field -> after.has(field)
                        && (!before.has(field)
                                || after.path(field).asDouble()
                                        < before.path(field).asDouble()))
                .forEach(field -> add(path, "%s is %s".formatted(field, after.path(field))));
        LOWER.stream()
                .filter(field -> after.has(field)
                        && (!before.has(field)
                                || after.path(field).asDouble()
                                        > before.path(field).asDouble()))
                .forEach(field -> add(path, "%s is %s".formatted(field, after.path(field))));
        enumeration(path, before.path("enum"), after.path("enum"));
        required(path, before, after);
        rules(path, before.path("x-kubernetes-validations"), after.path("x-kubernetes-validations"));
        before.path("properties").properties().forEach(field -> {
            var now = after.path("properties").path(field.getKey());
            if (now.isMissingNode()) {
                add(path + "." + field.getKey(), "is gone");
            } else {
                schema(path + "." + field.getKey(), field.getValue(), now);
            }
        });
        nested(path + "[]", before.path("items"), after.path("items"));
        nested(path + ".*", before.path("additionalProperties"), after.path("additionalProperties"));
    }

    private void nested(String path, JsonNode before, JsonNode after) {
        if (before.isObject()) {
            if (after.isObject()) {
                schema(path, before, after);
            } else {
                add(path, "is gone");
            }
        }
    }

    private void enumeration(String path, JsonNode before, JsonNode after) {
        if (after.isArray() && !before.isArray()) {
            add(path, "enum is " + after);
        }
        if (after.isArray()) {
            before.forEach(value -> {
                if (!contains(after, value)) {
                    add(path, value.asText() + " is refused");
                }
            });
        }
    }

    private void required(String path, JsonNode before, JsonNode after) {
        Set<String> added = new TreeSet<>();
        after.path("required").forEach(name -> added.add(name.asText()));
        before.path("required").forEach(name -> added.remove(name.asText()));
        added.removeIf(name -> after.path("properties").path(name).has("default"));
        added.forEach(name -> add(path + "." + name, "is required"));
    }

    private void rules(String path, JsonNode before, JsonNode after) {
        var known = new TreeSet<String>();
        before.forEach(rule -> known.add(rule.path("rule").asText()));
        after.forEach(rule -> {
            if (!known.contains(rule.path("rule").asText())) {
                add(path, "is held to " + rule.path("rule").asText());
            }
        });
    }

    private void add(String path, String what) {
        found.add(path + " " + what);
    }

    private static boolean contains(JsonNode array, JsonNode value) {
        return StreamSupport.stream(array.spliterator(), false).anyMatch(value::equals);
    }
}
