package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A reader of the objects of files, one object at a time. Only the kept parts of the objects stay in memory. A text is read as JSON if it
 * starts like JSON, and otherwise as YAML. Used by one thread.
 */
final class ResourceReader {

    /** The size of the buffer, in bytes. A YAML text that starts like JSON is read again from this buffer. */
    private static final int SECOND_LOOK = 1 << 20;

    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF"; // in UTF-8

    private static final List<String> NAMES = List.of("name", "generateName", "namespace");

    private final UnaryOperator<JsonNode> kept;
    private final List<Document> documents = new ArrayList<>();

    /** @param kept returns the part of an object to keep */
    ResourceReader(UnaryOperator<JsonNode> kept) {
        this.kept = kept;
    }

    ResourceFiles read() {
        return new ResourceFiles(documents);
    }

    void file(Path file) {
        read(file.toString(), () -> Files.newInputStream(file));
    }

    /** Reads a stream, and leaves it open. */
    void stream(String name, InputStream stream) {
        read(name, () -> new FilterInputStream(stream) {
            @Override
            public void close() {}
        });
    }

    private interface Opening {
        InputStream open() throws IOException;
    }

    private void read(String name, Opening opening) {
        try (var stream = new BufferedInputStream(opening.open())) {
            read(name, stream);
        } catch (UnreadableTextException e) {
            throw new ResourceFileException("%s%s: %s".formatted(name, e.place(), e.getMessage()));
        } catch (IOException e) {
            throw new ResourceFileException("%s: %s".formatted(name, ResourceFileException.why(e)));
        }
    }

    private void read(String name, BufferedInputStream stream) throws IOException {
        stream.mark(SECOND_LOOK);
        boolean json = beginsLikeJson(stream);
        stream.reset();
        if (!json) {
            read(name, new YamlDocuments(stream));
            return;
        }
        int before = documents.size();
        stream.mark(SECOND_LOOK);
        try {
            read(name, new JsonDocuments(stream));
        } catch (UnreadableTextException e) {
            documents.subList(before, documents.size()).clear();
            secondLook(name, stream, e);
        }
    }

    /** Reads a text again as YAML. A YAML text may start like JSON: for example, documents in braces with separators or comments. */
    private void secondLook(String name, BufferedInputStream stream, UnreadableTextException asJson)
            throws IOException {
        try {
            stream.reset();
        } catch (IOException e) { // The text is longer than the buffer, and its start was JSON.
            throw asJson;
        }
        try {
            read(name, new YamlDocuments(stream));
        } catch (UnreadableTextException e) {
            throw asJson;
        }
    }

    /** Whether the first characters start a JSON object or list. Reads at most {@link #SECOND_LOOK} bytes. */
    private static boolean beginsLikeJson(InputStream stream) throws IOException {
        var signs = new StringBuilder();
        for (int i = 0; i < SECOND_LOOK && signs.length() < 2; i++) {
            int next = stream.read();
            if (next < 0) {
                break;
            }
            boolean isMark = i < BYTE_ORDER_MARK.length() && BYTE_ORDER_MARK.charAt(i) == next;
            if (!isMark && !Character.isWhitespace(next)) {
                signs.append((char) next);
            }
        }
        return List.of("{\"", "{}", "[{", "[\"", "[[", "[]").contains(signs.toString());
    }

    private void read(String file, Documents source) throws IOException {
        for (int number = 1; ; number++) {
            var list = new ListItems("%s, document %d".formatted(file, number));
            var document = source.next(list);
            if (document == null) {
                return;
            }
            list.end(document);
        }
    }

    /** A receiver of the items of a document that is a list. */
    private final class ListItems implements Documents.Items {

        private final String place;
        private final List<Document> ofUnknownKind = new ArrayList<>();
        private @Nullable ObjectNode list;
        private int number;

        ListItems(String place) {
            this.place = place;
        }

        @Override
        public boolean begin(ObjectNode document) {
            boolean mayBeList = !document.has("kind") || isListKind(document);
            list = mayBeList ? document : null;
            return mayBeList;
        }

        @Override
        public void item(JsonNode item) {
            var at = "%s, item %d".formatted(place, ++number);
            if (list != null && list.has("kind")) {
                add(at, itemOf(list, item));
            } else if (item.has("kind")) { // kubectl sorts fields, so the list's kind follows its items.
                add(at, item);
            } else {
                ofUnknownKind.add(new Document(at, item));
            }
        }

        void end(JsonNode document) {
            if (list == null) {
                add(place, document);
                return;
            }
            ofUnknownKind.forEach(item -> add(item.place(), itemOf(list, item.object())));
            if (!list.has("kind")) {
                add(place, list);
            } else if (!isListKind(list)) {
                throw new ResourceFileException("%s: an object with items must be a List, but its kind is '%s'"
                        .formatted(place, list.path("kind").asText()));
            }
        }
    }

    private void add(String place, JsonNode object) {
        if (object.isNull() || object.isMissingNode()) {
            return;
        }
        if (isListKind(object) && object.has(Documents.ITEMS)) {
            int number = 1;
            for (var item : object.path(Documents.ITEMS)) {
                add("%s, item %d".formatted(place, number++), itemOf(object, item));
            }
            return;
        }
        requirePrintable(place, object.path("metadata"));
        documents.add(new Document(place, kept.apply(object)));
    }

    /**
     * Rejects names with control characters. Names are printed, and a terminal would interpret such characters as commands. API servers
     * reject these names, too.
     */
    private static void requirePrintable(String place, JsonNode metadata) {
        for (var field : NAMES) {
            var name = metadata.path(field);
            if (name.asText().chars().anyMatch(Character::isISOControl)) {
                throw new ResourceFileException("%s: metadata.%s: Invalid value: %s: must not have control characters"
                        .formatted(place, field, name));
            }
        }
    }

    private static boolean isListKind(JsonNode object) {
        return object.path("kind").asText().endsWith("List");
    }

    /** Returns the item with its kind. The API server states the kind of the items only once, in the kind of the list. */
    private static JsonNode itemOf(JsonNode list, JsonNode item) {
        var kind = list.path("kind").asText();
        var ofItems = kind.endsWith("List") ? kind.substring(0, kind.length() - "List".length()) : "";
        if (!(item instanceof ObjectNode object) || object.has("kind") || ofItems.isEmpty()) {
            return item;
        }
        var named = object.put("kind", ofItems);
        return list.has("apiVersion") ? named.set("apiVersion", list.get("apiVersion")) : named;
    }
}
