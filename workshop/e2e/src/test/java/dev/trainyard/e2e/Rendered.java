package dev.trainyard.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Objects from kustomize or Helm by kind, namespace and name. */
record Rendered(TreeMap<String, ObjectNode> objects) {

    private static final YAMLMapper YAML = new YAMLMapper();

    /** kustomize's content hash at the end of ConfigMap names. */
    private static final String HASH = "(trainyard-scheduler-config|trainyard-azure-notices)-[a-z0-9]{10}\\b";

    static Rendered of(String yaml) {
        var objects = new TreeMap<String, ObjectNode>();
        try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(yaml)) {
            while (documents.hasNextValue()) {
                if (documents.nextValue() instanceof ObjectNode object && !object.isEmpty()) {
                    var name = "%s %s/%s"
                            .formatted(
                                    object.path("kind").asText(),
                                    object.at("/metadata/namespace").asText(),
                                    object.at("/metadata/name").asText());
                    if (objects.put(name.replaceFirst(HASH, "$1"), object) != null) {
                        throw new AssertionError("twice: " + name);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Rendered(objects);
    }

    /**
     * Returns the objects without meaningless differences between kustomize and Helm. The differences are hashes in names and in an
     * annotation, line breaks in expressions, and the Namespace, which Helm does not create.
     */
    Rendered comparable() {
        var comparable = new TreeMap<String, ObjectNode>();
        objects.forEach((name, object) -> {
            if (!object.path("kind").asText().equals("Namespace")) {
                var copy = (ObjectNode) texts(object, text -> text.replaceFirst(HASH, "$1"));
                if (copy.at("/spec/template/metadata/annotations") instanceof ObjectNode annotations) {
                    annotations.remove("checksum/config");
                    if (annotations.isEmpty()) {
                        ((ObjectNode) copy.at("/spec/template/metadata")).remove("annotations");
                    }
                }
                comparable.put(
                        name,
                        name.startsWith("MutatingWebhookConfiguration")
                                ? (ObjectNode) texts(copy, text -> text.replaceAll("\\s+", " "))
                                : copy);
            }
        });
        return new Rendered(comparable);
    }

    List<ObjectNode> ofKind(String kind) {
        return objects.values().stream()
                .filter(object -> object.path("kind").asText().equals(kind))
                .toList();
    }

    /** Returns all containers of a Deployment, sidecars first. */
    static List<ObjectNode> containers(ObjectNode deployment) {
        var containers = new ArrayList<ObjectNode>();
        Stream.of("initContainers", "containers")
                .forEach(field -> deployment
                        .at("/spec/template/spec")
                        .path(field)
                        .forEach(container -> containers.add((ObjectNode) container)));
        return containers;
    }

    /** Returns the arguments of a container. */
    static List<String> arguments(JsonNode container) {
        var arguments = new ArrayList<String>();
        container.path("args").forEach(argument -> arguments.add(argument.asText()));
        return arguments;
    }

    private static JsonNode texts(JsonNode node, UnaryOperator<String> change) {
        if (node instanceof TextNode text) {
            return TextNode.valueOf(change.apply(text.textValue()));
        }
        if (node.isArray()) {
            var copy = YAML.createArrayNode();
            node.forEach(element -> copy.add(texts(element, change)));
            return copy;
        }
        if (node.isObject()) {
            var copy = YAML.createObjectNode();
            node.properties().forEach(field -> copy.set(field.getKey(), texts(field.getValue(), change)));
            return copy;
        }
        return node;
    }
}
