package dev.trainyard.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The manifests in the executable, which the checks compare with the installed objects. */
final class BundledManifests {

    private static final ObjectMapper JSON = new ObjectMapper();

    private BundledManifests() {}

    /** Returns the objects in a file below {@code manifests}. */
    static List<JsonNode> objects(String file) {
        return objects(file, Names.NAMESPACE);
    }

    /** Returns the objects in a file below {@code manifests}, for an installation in {@code namespace}. */
    static List<JsonNode> objects(String file, String namespace) {
        try (var stream = Objects.requireNonNull(
                BundledManifests.class.getResourceAsStream("/manifests/" + file), "the build packed no " + file)) {
            var text = new String(stream.readAllBytes(), StandardCharsets.UTF_8).replace(Names.NAMESPACE, namespace);
            try (var documents = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(text)) {
                return documents.readAll();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the manifest %s cannot be read".formatted(file), e);
        }
    }

    /** Returns the only object in a file below {@code manifests}. */
    static <T extends KubernetesResource> T object(String file, Class<T> type) {
        return object(file, type, Names.NAMESPACE);
    }

    /** Returns the only object in a file below {@code manifests}, for an installation in {@code namespace}. */
    static <T extends KubernetesResource> T object(String file, Class<T> type, String namespace) {
        return JSON.convertValue(objects(file, namespace).get(0), type);
    }
}
