package dev.trainyard.runtime.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * A CustomResourceDefinition of Trainyard, with a check of objects in files. The check applies the schema and the rules as the API server
 * does, and reports problems in the API server's words. Immutable.
 */
public final class Definition {

    private static final Map<String, Definition> BY_KIND = Map.of(
            "TrainingCluster", read("trainingclusters.yaml"),
            "TrainingPool", read("trainingpools.yaml"),
            "TrainingTier", read("trainingtiers.yaml"));

    /** The syntax of names, as in {@code k8s.io/apimachinery/pkg/util/validation.IsDNS1123Subdomain}. */
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final Pattern CONTROL = Pattern.compile("\\\\u00([0-9A-Fa-f]{2})");
    private static final int LONGEST_NAME = 253;

    private final JsonNode schema;

    private Definition(JsonNode schema) {
        this.schema = schema;
    }

    /** Returns the definition of a kind; empty if the kind does not belong to Trainyard. */
    public static Optional<Definition> ofKind(String kind) {
        return Optional.ofNullable(BY_KIND.get(kind));
    }

    private static Definition read(String file) {
        try (var stream = Objects.requireNonNull(
                Definition.class.getResourceAsStream(file), () -> "the build packed no " + file)) {
            return new Definition(new YAMLMapper().readTree(stream).at("/spec/versions/0/schema/openAPIV3Schema"));
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }

    /**
     * Returns the problems for which the API server would reject the object, each with its field:
     * {@code spec.max: Invalid value: 6000: spec.max in body should be less than or equal to 5000}. The status of the object is not
     * checked.
     */
    public List<String> problems(JsonNode object) {
        var problems = new ArrayList<String>();
        var name = object.path("metadata").path("name").asText();
        if (name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
            problems.add(invalid(
                    "metadata.name",
                    object.path("metadata").path("name"),
                    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end"
                            + " with an alphanumeric character (e.g. 'example.com', regex used for validation is '"
                            + NAME.pattern()
                            + "')"));
        }
        var spec = schema.path("properties").path("spec");
        var checked = withDefaults(object.path("spec"), spec);
        check("spec", checked, spec, problems);
        if (problems.isEmpty()) { // The API server, too, evaluates rules only if the object matches the schema.
            checkRules("spec", checked, spec, problems);
            checkRules("", object, schema, problems);
        }
        return List.copyOf(problems);
    }

    /** Returns all rules of the schema. A test uses them to check that {@link DefinitionRules} implements every rule. */
    List<String> rules() {
        return schema.findValues("x-kubernetes-validations").stream()
                .flatMap(rules -> StreamSupport.stream(rules.spliterator(), false))
                .map(rule -> rule.path("rule").asText())
                .toList();
    }

    /** Returns a copy in which absent fields have their defaults. */
    private static JsonNode withDefaults(JsonNode value, JsonNode schema) {
        var copy = value.deepCopy();
        if (copy instanceof ObjectNode object) {
            schema.path("properties").properties().forEach(property -> {
                var field = property.getKey();
                if (object.path(field).isNull() && property.getValue().has("default")) {
                    object.remove(field);
                }
                if (!object.has(field) && property.getValue().has("default")) {
                    object.set(field, property.getValue().get("default"));
                }
                if (object.has(field)) {
                    object.set(field, withDefaults(object.get(field), property.getValue()));
                }
            });
        }
        return copy;
    }

    private static void check(String path, JsonNode value, JsonNode schema, List<String> problems) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            if (!value.isTextual() && !isWhole(value)) {
                problems.add(wrongType(path, value, "integer,string"));
                return;
            }
        } else if (!hasType(value, schema.path("type").asText())) {
            problems.add(wrongType(path, value, schema.path("type").asText()));
            return;
        }
        if (schema.has("enum")
                && !StreamSupport.stream(schema.path("enum").spliterator(), false)
                        .anyMatch(value::equals)) {
            problems.add("%s: Unsupported value: %s: supported values: %s"
                    .formatted(
                            path,
                            value,
                            StreamSupport.stream(schema.path("enum").spliterator(), false)
                                    .map(JsonNode::toString)
                                    .collect(Collectors.joining(", "))));
        }
        if (value.isTextual()) {
            checkText(path, value, schema, problems);
        } else if (value.isNumber()) {
            checkNumber(path, value, schema, problems);
        } else if (value.isArray()) {
            checkSize(path, value, schema, "Items", "items", problems);
            for (int i = 0; i < value.size(); i++) {
                check("%s[%d]".formatted(path, i), value.get(i), schema.path("items"), problems);
            }
        } else if (value.isObject()) {
            checkSize(path, value, schema, "Properties", "properties", problems);
            checkFields(path, value, schema, problems);
        }
    }

    private static void checkFields(String path, JsonNode object, JsonNode schema, List<String> problems) {
        var known = schema.path("properties");
        for (var field : object.properties()) {
            var at = path + "." + field.getKey();
            if (known.has(field.getKey())) {
                check(at, field.getValue(), known.path(field.getKey()), problems);
            } else if (schema.has("additionalProperties")) {
                check(at, field.getValue(), schema.path("additionalProperties"), problems);
            } else {
                var names = new TreeMap<String, JsonNode>();
                known.properties().forEach(property -> names.put(property.getKey(), property.getValue()));
                problems.add(
                        "%s: unknown field; known: %s".formatted(quotedIfOdd(at), String.join(", ", names.keySet())));
            }
        }
        for (var required : schema.path("required")) {
            if (!object.has(required.asText())) {
                problems.add("%s.%s: Required value".formatted(path, required.asText()));
            }
        }
    }

    private static void checkText(String path, JsonNode value, JsonNode schema, List<String> problems) {
        var text = value.asText();
        int length = text.codePointCount(0, text.length());
        if (schema.has("maxLength") && length > schema.path("maxLength").asInt()) {
            problems.add("%s: Too long: may not be more than %d bytes"
                    .formatted(path, schema.path("maxLength").asInt()));
            return;
        }
        if (length < schema.path("minLength").asInt()) {
            problems.add(inBody(
                    path,
                    value,
                    "should be at least %d chars long"
                            .formatted(schema.path("minLength").asInt())));
        }
        if (schema.has("pattern")
                && !Pattern.compile(schema.path("pattern").asText())
                        .matcher(text)
                        .find()) {
            problems.add(inBody(
                    path,
                    value,
                    "should match '%s'".formatted(schema.path("pattern").asText())));
        }
    }

    private static void checkNumber(String path, JsonNode value, JsonNode schema, List<String> problems) {
        var number = value.decimalValue();
        if (schema.has("minimum") && number.compareTo(schema.path("minimum").decimalValue()) < 0) {
            problems.add(inBody(
                    path,
                    value,
                    "should be greater than or equal to %d"
                            .formatted(schema.path("minimum").asLong())));
        }
        if (schema.has("maximum") && number.compareTo(schema.path("maximum").decimalValue()) > 0) {
            problems.add(inBody(
                    path,
                    value,
                    "should be less than or equal to %d"
                            .formatted(schema.path("maximum").asLong())));
        }
    }

    private static void checkSize(
            String path, JsonNode value, JsonNode schema, String suffix, String what, List<String> problems) {
        int most = schema.path("max" + suffix).asInt(Integer.MAX_VALUE);
        if (value.size() > most) {
            problems.add("%s: Too many: %d: must have at most %d %s".formatted(path, value.size(), most, what));
        }
        int least = schema.path("min" + suffix).asInt();
        if (value.size() < least) {
            problems.add("%s: Invalid value: %d: %s in body should have at least %d %s"
                    .formatted(path, value.size(), path, least, what));
        }
    }

    private static void checkRules(String path, JsonNode value, JsonNode schema, List<String> problems) {
        for (var rule : schema.path("x-kubernetes-validations")) {
            if (!DefinitionRules.holds(rule.path("rule").asText(), value)) {
                var field = path + rule.path("fieldPath").asText();
                var shown = field.startsWith("spec") ? field : "metadata.name";
                problems.add("%s: Invalid value: %s"
                        .formatted(shown, rule.path("message").asText()));
            }
        }
        if (path.isEmpty()) {
            return;
        }
        for (int i = 0; i < value.size() && value.isArray(); i++) {
            checkRules("%s[%d]".formatted(path, i), value.get(i), schema.path("items"), problems);
        }
        for (var field : value.properties()) {
            checkRules(
                    path + "." + field.getKey(),
                    field.getValue(),
                    schema.path("properties").path(field.getKey()),
                    problems);
        }
    }

    private static boolean hasType(JsonNode value, String type) {
        return switch (type) {
            case "integer" -> isWhole(value);
            case "number" -> value.isNumber();
            case "boolean" -> value.isBoolean();
            case "string" -> value.isTextual();
            case "array" -> value.isArray();
            case "object" -> value.isObject();
            default -> true;
        };
    }

    /** Whether a value is a whole number. The value 2.0 is whole, as in JSON Schema. */
    private static boolean isWhole(JsonNode value) {
        return value.isIntegralNumber()
                || (value.isNumber()
                        && Double.isFinite(value.doubleValue())
                        && value.decimalValue().stripTrailingZeros().scale() <= 0);
    }

    private static String typeOf(JsonNode value) {
        if (value.isNumber()) {
            return isWhole(value) ? "integer" : "number";
        }
        return value.getNodeType().name().toLowerCase(Locale.ROOT);
    }

    private static String wrongType(String path, JsonNode value, String type) {
        return "%s: Invalid value: \"%s\": %s in body must be of type %s: \"%s\""
                .formatted(path, typeOf(value), path, type, typeOf(value));
    }

    private static String inBody(String path, JsonNode value, String expected) {
        return invalid(path, value, path + " in body " + expected);
    }

    private static String invalid(String path, JsonNode value, String expected) {
        return "%s: Invalid value: %s: %s".formatted(path, shown(value), expected);
    }

    /** Returns the value as JSON, with control characters escaped as in Go, and truncated to 100 characters. */
    private static String shown(JsonNode value) {
        var text = value.isMissingNode() ? "\"\"" : value.toString();
        text = CONTROL.matcher(text).replaceAll(hex -> "\\\\x" + hex.group(1).toLowerCase(Locale.ROOT));
        return text.length() > 100 ? text.substring(0, 100) + "..." : text;
    }

    private static String quotedIfOdd(String field) {
        return field.chars().anyMatch(Character::isISOControl)
                ? TextNode.valueOf(field).toString()
                : field;
    }
}
