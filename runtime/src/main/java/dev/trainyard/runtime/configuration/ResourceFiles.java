package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/**
 * Kubernetes objects in YAML or JSON files: several documents in one file, and {@code List} kinds, are taken apart. Immutable.
 *
 * @param documents every object with the place it came from
 */
public record ResourceFiles(List<Document> documents) {

    // Strict about our own kinds: a misspelt field in a file is the user's mistake, and nobody else would tell.
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    private static final YAMLMapper YAML = new YAMLMapper();

    /** One object and where it stands, in words: {@code pools.yaml, document 2}. */
    public record Document(String place, JsonNode object) {
        String kind() {
            return object.path("kind").asText();
        }
    }

    public ResourceFiles {
        documents = List.copyOf(documents);
    }

    /**
     * Reads a file, or all {@code .yaml}, {@code .yml} and {@code .json} files of a directory (not of those below it), by name.
     *
     * @throws ResourceFileException when something cannot be read or parsed
     */
    public static ResourceFiles read(Path path) {
        var documents = new ArrayList<Document>();
        for (var file : files(path)) {
            readFile(file, documents);
        }
        return new ResourceFiles(documents);
    }

    /**
     * The objects of one kind.
     *
     * @throws ResourceFileException when an object of that kind has a member that is unknown or of the wrong type, has no name or no
     *     spec, or when two have one name
     */
    public <T extends HasMetadata> List<T> ofKind(Class<T> type) {
        var kind = HasMetadata.getKind(type);
        var names = new HashSet<String>();
        var found = new ArrayList<T>();
        for (var document : documents) {
            if (!document.kind().equals(kind)) {
                continue;
            }
            var object = convert(document, JSON.readerFor(type));
            found.add(type.cast(object));
            var name = document.object().path("metadata").path("name").asText();
            var namespace = document.object().path("metadata").path("namespace").asText();
            if (name.isEmpty()) {
                throw new ResourceFileException("%s: %s has no metadata.name".formatted(document.place(), kind));
            }
            if (document.object().path("spec").isMissingNode()
                    && HasMetadata.getGroup(type).endsWith("trainyard.dev")) {
                throw new ResourceFileException("%s: %s %s has no spec".formatted(document.place(), kind, name));
            }
            if (!names.add(namespace + "/" + name)) {
                throw new ResourceFileException("%s: there is a %s %s already".formatted(document.place(), kind, name));
            }
        }
        return List.copyOf(found);
    }

    private static Object convert(Document document, ObjectReader reader) {
        try {
            return reader.readValue(document.object());
        } catch (JsonMappingException e) {
            var field = new StringBuilder();
            e.getPath()
                    .forEach(step -> field.append(
                            step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName()));
            throw new ResourceFileException("%s: %s %s: %s: %s"
                    .formatted(
                            document.place(),
                            document.kind(),
                            document.object().path("metadata").path("name").asText(),
                            field.length() == 0 ? "the object" : field.substring(field.charAt(0) == '.' ? 1 : 0),
                            e.getOriginalMessage()));
        } catch (IOException e) {
            throw new ResourceFileException("%s: %s".formatted(document.place(), e.getMessage()));
        }
    }

    private static List<Path> files(Path path) {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (var entries = Files.list(path)) {
            return entries.filter(Files::isRegularFile)
                    .filter(file -> {
                        var name = file.getFileName().toString().toLowerCase(Locale.ROOT);
                        return name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json");
                    })
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new ResourceFileException("%s: cannot be listed: %s".formatted(path, e.getMessage()));
        }
    }

    private static void readFile(Path file, List<Document> documents) {
        // A JSON file is a YAML file too.
        try (var parsed = YAML.readerFor(JsonNode.class).<JsonNode>readValues(file.toFile())) {
            for (int number = 1; parsed.hasNextValue(); number++) {
                add("%s, document %d".formatted(file, number), parsed.nextValue(), documents);
            }
        } catch (JsonProcessingException e) {
            var at = e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr();
            throw new ResourceFileException("%s%s: not YAML: %s".formatted(file, at, e.getOriginalMessage()));
        } catch (NoSuchFileException | FileNotFoundException e) {
            throw new ResourceFileException("%s: there is no such file".formatted(file));
        } catch (IOException e) {
            throw new ResourceFileException("%s: cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    private static void add(String place, JsonNode object, List<Document> documents) {
        if (object.isNull() || object.isMissingNode()) {
            return;
        }
        if (!object.isObject() || !object.path("kind").isTextual()) {
            throw new ResourceFileException("%s: not a Kubernetes object: it has no kind".formatted(place));
        }
        if (object.path("kind").asText().endsWith("List")
                && object.path("items").isArray()) {
            int number = 1;
            for (var item : object.path("items")) {
                add("%s, item %d".formatted(place, number++), item, documents);
            }
            return;
        }
        documents.add(new Document(place, object));
    }
}
