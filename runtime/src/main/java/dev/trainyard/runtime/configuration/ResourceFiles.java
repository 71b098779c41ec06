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
 * Kubernetes objects in YAML or JSON files: several documents in one file, and {@code List} kinds, are taken apart. Immutable.
 *
 * @param documents every object with the place it came from
 */
public record ResourceFiles(List<Document> documents) {

    // Strict about our own kinds: a misspelt field in a file is the user's mistake, and nobody else would tell.
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /** What is wrong with a document that has no kind. */
    public static final String NO_KIND = "not a Kubernetes object: it has no kind";

    /** One object and where it stands, in words: {@code pools.yaml, document 2}. */
    public record Document(String place, JsonNode object) {
        /** Empty when it has none: it is no Kubernetes object then. */
        public String kind() {
            return object.path("kind").isTextual() ? object.path("kind").asText() : "";
        }

        /** Empty when it has none. */
        public String name() {
            return object.path("metadata").path("name").asText();
        }

        /** For messages: {@code TrainingPool spot}. */
        public String title() {
            return kind().isEmpty() ? "object without a kind" : (kind() + " " + name()).strip();
        }
    }

    public ResourceFiles {
        documents = List.copyOf(documents);
    }

    /**
     * Reads a file, or all {@code .yaml}, {@code .yml} and {@code .json} files of a directory (not of those below it), by name.
     *
     * @throws ResourceFileException when something cannot be read or parsed, or is no Kubernetes object
     */
    public static ResourceFiles read(Path path) {
        return demandKinds(readAll(path));
    }

    /**
     * The same, with documents that are no Kubernetes objects among the others.
     *
     * @throws ResourceFileException when something cannot be read or parsed
     */
    public static ResourceFiles readAll(Path path) {
        return readAll(path, UnaryOperator.identity());
    }

    /**
     * The same, in memory for what is kept of the objects only: a dump of a cluster may be larger than the heap.
     *
     * @param kept what to keep of an object, which it may change
     * @throws ResourceFileException when something cannot be read or parsed
     */
    public static ResourceFiles readAll(Path path, UnaryOperator<JsonNode> kept) {
        var reader = new ResourceReader(kept);
        files(path).forEach(reader::file);
        return reader.read();
    }

    /**
     * Reads a stream to its end; leaves it open.
     *
     * @param name what messages call it
     * @throws ResourceFileException when it cannot be read or parsed, or holds what is no Kubernetes object
     */
    public static ResourceFiles read(String name, InputStream stream) {
        return demandKinds(readAll(name, stream));
    }

    /**
     * The same, with documents that are no Kubernetes objects among the others.
     *
     * @throws ResourceFileException when it cannot be read or parsed
     */
    public static ResourceFiles readAll(String name, InputStream stream) {
        return readAll(name, stream, UnaryOperator.identity());
    }

    /**
     * The same, in memory for what is kept of the objects only.
     *
     * @param kept what to keep of an object, which it may change
     * @throws ResourceFileException when it cannot be read or parsed
     */
    public static ResourceFiles readAll(String name, InputStream stream, UnaryOperator<JsonNode> kept) {
        var reader = new ResourceReader(kept);
        reader.stream(name, stream);
        return reader.read();
    }

    /**
     * The objects of one kind.
     *
     * @throws ResourceFileException when an object of that kind has a member that is unknown or of the wrong type, has no name or no
     *     spec, or when two have one name
     */
    public <T extends HasMetadata> List<T> ofKind(Class<T> type) {
        return ofKind(type, (document, problem) -> {
            throw new ResourceFileException("%s: %s: %s".formatted(document.place(), document.title(), problem));
        });
    }

    /**
     * The objects of one kind that can be used.
     *
     * @param broken told of each of the others, and what is wrong with it
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
                broken.accept(document, Misreading.inWords(e));
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
            throw new IllegalArgumentException("it has no metadata.name");
        }
        var spec = document.object().path("spec");
        if ((spec.isMissingNode() || spec.isNull()) && group.endsWith("trainyard.dev")) {
            throw new IllegalArgumentException("it has no spec");
        }
        var problems = Definition.ofKind(document.kind())
                .map(definition -> definition.problems(document.object()))
                .orElse(List.of());
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
        var namespace = document.object().path("metadata").path("namespace").asText();
        if (!names.add(namespace + "/" + document.name())) {
            throw new IllegalArgumentException("there is one of this name already");
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
