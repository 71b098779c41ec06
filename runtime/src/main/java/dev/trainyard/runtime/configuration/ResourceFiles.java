package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.runtime.resource.Definition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/**
 * The Kubernetes objects of YAML or JSON files. Files with several documents, and objects of a {@code List} kind, are split into single
 * objects. Immutable.
 *
 * @param documents all objects with their places
 */
public record ResourceFiles(List<Document> documents) {

    // Unknown fields are errors, because nothing else would report a misspelt field in a file.
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** The problem of a document without a kind. */
    public static final String NO_KIND = "not a Kubernetes object: it has no kind";

    /** One object and a text with its place: {@code pools.yaml, document 2}. */
    public record Document(String place, JsonNode object) {
        /** Returns the kind; empty if it is missing. An object without a kind is not a Kubernetes object. */
        public String kind() {
            return object.path("kind").isTextual() ? object.path("kind").asText() : "";
        }

        /** Returns the name; empty if it is missing. */
        public String name() {
            return object.path("metadata").path("name").asText();
        }

        /** Returns kind and name for messages: {@code TrainingPool spot}. */
        public String title() {
            return kind().isEmpty() ? "object without a kind" : (kind() + " " + name()).strip();
        }
    }

    public ResourceFiles {
        documents = List.copyOf(documents);
    }

    /**
     * Reads a file, or all {@code .yaml}, {@code .yml} and {@code .json} files of a directory (not of its subdirectories), sorted by name.
     *
     * @throws ResourceFileException if a file cannot be read or parsed, or contains a document that is not a Kubernetes object
     */
    public static ResourceFiles read(Path path) {
        return demandKinds(readAll(path));
    }

    /**
     * Reads like {@code read}, but keeps documents that are not Kubernetes objects.
     *
     * @throws ResourceFileException if a file cannot be read or parsed
     */
    public static ResourceFiles readAll(Path path) {
        return readAll(path, UnaryOperator.identity());
    }

    /**
     * Reads files like {@link #readAll(Path)}, but keeps only a part of each object in memory. A dump of a cluster may be larger than the
     * heap.
     *
     * @param kept a function that returns the part of an object to keep; the function may change the object
     * @throws ResourceFileException if a file cannot be read or parsed
     */
    public static ResourceFiles readAll(Path path, UnaryOperator<JsonNode> kept) {
        var reader = new ResourceReader(kept);
        files(path).forEach(reader::file);
        return reader.read();
    }

    /**
     * Reads a stream to its end, and leaves it open.
     *
     * @param name name of the stream for messages
     * @throws ResourceFileException if the stream cannot be read or parsed, or contains a document that is not a Kubernetes object
     */
    public static ResourceFiles read(String name, InputStream stream) {
        return demandKinds(readAll(name, stream));
    }

    /**
     * Reads like {@code read}, but keeps documents that are not Kubernetes objects.
     *
     * @throws ResourceFileException if the stream cannot be read or parsed
     */
    public static ResourceFiles readAll(String name, InputStream stream) {
        return readAll(name, stream, UnaryOperator.identity());
    }

    /**
     * Reads a stream like {@link #readAll(String, InputStream)}, but keeps only a part of each object in memory.
     *
     * @param kept a function that returns the part of an object to keep; the function may change the object
     * @throws ResourceFileException if the stream cannot be read or parsed
     */
    public static ResourceFiles readAll(String name, InputStream stream, UnaryOperator<JsonNode> kept) {
        var reader = new ResourceReader(kept);
        reader.stream(name, stream);
        return reader.read();
    }

    /**
     * Returns the objects of one kind.
     *
     * @throws ResourceFileException if an object of that kind is invalid, or if two such objects have the same name. An object is invalid
     *     if its name is missing, if a member is unknown or has the wrong type, or if the object violates its {@link Definition}. An object
     *     of Trainyard without a spec is also invalid
     */
    public <T extends HasMetadata> List<T> ofKind(Class<T> type) {
        return ofKind(type, (document, problem) -> {
            throw new ResourceFileException("%s: %s: %s".formatted(document.place(), document.title(), problem));
        });
    }

    /**
     * Returns the valid objects of one kind.
     *
     * @param broken receives each invalid object and its problem
     */
    public <T extends HasMetadata> List<T> ofKind(Class<T> type, BiConsumer<Document, String> broken) {
        var kind = HasMetadata.getKind(type);
        var names = new HashSet<String>();
        var found = new ArrayList<T>();
        for (var document : documents) {
            if (!document.kind().equals(kind)) {
                continue;
            }
            try {
                check(document, HasMetadata.getGroup(type), names);
                found.add(JSON.readerFor(type).readValue(document.object()));
            } catch (JsonMappingException e) {
                broken.accept(document, MappingFailures.inWords(e));
            } catch (IOException e) {
                broken.accept(document, String.valueOf(e.getMessage()));
            } catch (IllegalArgumentException e) {
                broken.accept(document, String.valueOf(e.getMessage()));
            }
        }
        return List.copyOf(found);
    }

    private static ResourceFiles demandKinds(ResourceFiles files) {
        files.documents().stream()
                .filter(document -> document.kind().isEmpty())
                .findFirst()
                .ifPresent(stray -> {
                    throw new ResourceFileException("%s: %s".formatted(stray.place(), NO_KIND));
                });
        return files;
    }

    private static void check(Document document, String group, Set<String> names) {
        if (document.name().isEmpty()) {
            throw new IllegalArgumentException("metadata.name is missing");
        }
        var spec = document.object().path("spec");
        if ((spec.isMissingNode() || spec.isNull()) && group.endsWith("trainyard.dev")) {
            throw new IllegalArgumentException("spec is missing");
        }
        var problems = Definition.ofKind(document.kind())
                .map(definition -> definition.problems(document.object()))
                .orElse(List.of());
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        var namespace = document.object().path("metadata").path("namespace").asText();
        if (!names.add(namespace + "/" + document.name())) {
            throw new IllegalArgumentException("another object has the same kind and name");
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
}
