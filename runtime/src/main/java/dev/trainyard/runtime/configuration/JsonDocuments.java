package dev.trainyard.runtime.configuration;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** JSON documents, read as a stream. */
final class JsonDocuments implements Documents {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .build();
    private static final Pattern DUPLICATE = Pattern.compile("Duplicate field '(.*)'", Pattern.DOTALL);

    private final JsonParser parser;

    JsonDocuments(InputStream stream) throws IOException {
        parser = JSON.createParser(stream);
    }

    @Override
    public @Nullable JsonNode next(Items items) throws IOException {
        try {
            return document(items);
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
            throw new UnreadableTextException(line, inWords(String.valueOf(e.getOriginalMessage())));
        } catch (CharConversionException e) {
            throw new UnreadableTextException(0, "not JSON: expected text in UTF-8");
        }
    }

    private @Nullable JsonNode document(Items items) throws IOException {
        var token = parser.nextToken();
        if (token != JsonToken.START_OBJECT) {
            return token == null ? null : value();
        }
        var document = JSON.createObjectNode();
        for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            boolean isList = parser.nextToken() == JsonToken.START_ARRAY;
            if (isList && name.equals(ITEMS) && items.begin(document)) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.item(value());
                }
            } else {
                document.set(name, value());
            }
        }
        return document;
    }

    private JsonNode value() throws IOException {
        return Optional.<JsonNode>ofNullable(parser.readValueAsTree()).orElseGet(JSON.getNodeFactory()::nullNode);
    }

    private static String inWords(String problem) {
        var duplicate = DUPLICATE.matcher(problem);
        return duplicate.matches()
                ? "field '%s' occurs twice; expected each field once".formatted(duplicate.group(1))
                : "not JSON: " + problem.lines().findFirst().orElse("it cannot be read");
    }
}
