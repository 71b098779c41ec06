package dev.trainyard.cli.importing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.runtime.configuration.ResourceFileException;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A file to import.
 *
 * @param name the file name without directories, for remarks
 */
record SourceFile(String name, String text) {

    private static final Pattern FLAG = Pattern.compile("(^|[\\s\"'])--[a-z]");
    private static final ObjectMapper JSON = new ObjectMapper().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

    /** @throws IllegalArgumentException if the file cannot be read */
    static SourceFile read(Path path) {
        try {
            return new SourceFile(String.valueOf(path.getFileName()), new String(Files.readAllBytes(path), UTF_8));
        } catch (IOException e) {
            throw new IllegalArgumentException("%s: %s".formatted(path, ResourceFileException.why(e)), e);
        }
    }

    boolean looksLikeJson() {
        return text.stripLeading().startsWith("{") || text.stripLeading().startsWith("[");
    }

    /** Whether the first line that is not a comment has a command line flag. */
    boolean looksLikeFlags() {
        return text.lines()
                .filter(line -> !line.isBlank() && !line.stripLeading().startsWith("#"))
                .findFirst()
                .map(line -> FLAG.matcher(line).find())
                .orElse(false);
    }

    /** @throws IllegalArgumentException if the text is not JSON */
    JsonNode json() {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("%s, line %d: not JSON: %s"
                    .formatted(name, e.getLocation().getLineNr(), firstLine(e.getOriginalMessage())));
        }
    }

    /**
     * Returns the single document of a JSON file, or all documents of a YAML file. In YAML, empty documents are left out, and a
     * {@code List} is replaced by its items.
     *
     * @throws IllegalArgumentException if the text is neither YAML nor JSON
     */
    List<JsonNode> documents() {
        if (looksLikeJson()) {
            return List.of(json());
        }
        try {
            return ResourceFiles.readAll(name, new ByteArrayInputStream(text.getBytes(UTF_8))).documents().stream()
                    .map(Document::object)
                    .filter(JsonNode::isContainerNode)
                    .toList();
        } catch (ResourceFileException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse(message);
    }
}
