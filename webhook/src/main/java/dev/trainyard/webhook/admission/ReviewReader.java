package dev.trainyard.webhook.admission;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A reader that parses an AdmissionReview into a tree and skips the members that the webhook does not use. The skipped members are often
 * most of the review: {@code managedFields} alone can be longer than the rest of the pod. Skipped members must still be valid JSON.
 */
final class ReviewReader {

    /**
     * The limit of JSON tokens in a review. A pod of 1.5 MiB, the largest that can be stored, has fewer tokens than this. Without a limit,
     * 8 MiB of brackets would take 150 MiB of memory.
     */
    private static final int MOST_TOKENS = 500_000;

    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxTokenCount(MOST_TOKENS).build())
            .build());

    /**
     * The members to skip in an object.
     *
     * @param members names of the skipped members
     * @param below the members to skip in nested objects, by the name of the nested object
     */
    private record Omission(Set<String> members, Map<String, Omission> below) {}

    private static final Omission OF_METADATA = new Omission(Set.of("managedFields"), Map.of());
    private static final Omission OF_OBJECT = new Omission(Set.of(), Map.of("metadata", OF_METADATA));
    private static final Omission OF_REQUEST = new Omission(
            Set.of("resource", "requestKind", "requestResource", "userInfo", "oldObject", "options"),
            Map.of("object", OF_OBJECT));
    private static final Omission OF_REVIEW = new Omission(Set.of(), Map.of("request", OF_REQUEST));

    private ReviewReader() {}

    /**
     * Reads an AdmissionReview.
     *
     * @return empty if the body is JSON, but not an object
     * @throws com.fasterxml.jackson.core.JsonProcessingException if the body is not JSON
     */
    static Optional<ObjectNode> read(byte[] body) throws IOException {
        try (var parser = JSON.createParser(body)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return JSON.readTree(body).isMissingNode() ? nothing(parser) : Optional.empty();
            }
            var review = object(parser, OF_REVIEW);
            if (parser.nextToken() != null) {
                throw MismatchedInputException.from(
                        parser, ObjectNode.class, "the JSON object is followed by more text");
            }
            return Optional.of(review);
        }
    }

    private static Optional<ObjectNode> nothing(JsonParser parser) throws MismatchedInputException {
        throw MismatchedInputException.from(parser, ObjectNode.class, "the body is empty");
    }

    private static ObjectNode object(JsonParser parser, Omission omission) throws IOException {
        var object = JsonNodeFactory.instance.objectNode();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            var name = parser.currentName();
            var token = parser.nextToken();
            if (omission.members().contains(name)) {
                parser.skipChildren();
            } else {
                object.set(name, value(parser, token, omission.below().get(name)));
            }
        }
        return object;
    }

    private static JsonNode value(JsonParser parser, JsonToken token, @Nullable Omission omission) throws IOException {
        if (token == JsonToken.VALUE_STRING) { // most members; the mapper would prepare a whole deserialization
            return JsonNodeFactory.instance.textNode(parser.getText());
        }
        return omission != null && token == JsonToken.START_OBJECT
                ? object(parser, omission)
                : JSON.<JsonNode>readTree(parser);
    }
}
