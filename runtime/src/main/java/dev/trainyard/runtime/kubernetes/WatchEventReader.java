package dev.trainyard.runtime.kubernetes;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.WatchEvent;
import java.io.IOException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A reader of watch events that reads each object once. The client's own reader first builds a tree of the object, to find the object's
 * class, which takes as long as reading the object. The API server writes {@code kind} and {@code apiVersion} first, so the tree is needed
 * only for objects of unknown classes.
 */
final class WatchEventReader extends JsonDeserializer<WatchEvent> {

    private static final String KIND = "kind";
    private static final String API_VERSION = "apiVersion";

    private final BiFunction<String, String, @Nullable Class<? extends KubernetesResource>> classes;

    /** @param classes returns the class of objects with an API version and a kind; null if there is none */
    WatchEventReader(BiFunction<String, String, @Nullable Class<? extends KubernetesResource>> classes) {
        this.classes = classes;
    }

    @Override
    public WatchEvent deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        var event = new WatchEvent();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            var member = parser.currentName();
            boolean object = parser.nextToken() == JsonToken.START_OBJECT;
            if (object && member.equals("object")) {
                event.setObject(object(parser, context));
            } else if (member.equals("type")) {
                event.setType(parser.getText());
            } else {
                parser.skipChildren();
            }
        }
        return event;
    }

    private @Nullable KubernetesResource object(JsonParser parser, DeserializationContext context) throws IOException {
        var first = context.getNodeFactory().objectNode();
        while (parser.nextToken() == JsonToken.FIELD_NAME && isOfType(parser.currentName())) {
            var member = parser.currentName();
            parser.nextToken();
            first.set(member, context.readTree(parser));
        }
        var type =
                classes.apply(first.path(API_VERSION).asText(), first.path(KIND).asText());
        if (type != null) {
            return context.readValue(parser, type);
        }
        if (parser.currentToken() == JsonToken.FIELD_NAME) {
            first.setAll((ObjectNode) context.readTree(parser));
        }
        return context.readTreeAsValue(first, KubernetesResource.class);
    }

    private static boolean isOfType(String member) {
        return member.equals(KIND) || member.equals(API_VERSION);
    }
}
