package dev.trainyard.bench.extender;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The answers of the floor, a minimal extender for comparison. It chooses the first node, lets every node pass, and scores every node 0. In
 * a request, the floor skips the pod and reads all node names one by one. No correct extender can do less work. Thread-safe.
 */
final class Echo {

    private static final JsonFactory JSON = new JsonFactory();

    private Echo() {}

    static byte[] answer(Verb verb, byte[] question) throws IOException {
        var names = names(question);
        var answer = new ByteArrayBuilder(question.length);
        switch (verb) {
            case CHOOSE -> filter(names.subList(0, Math.min(1, names.size())), answer);
            case FILTER -> filter(names, answer);
            case PRIORITIZE -> prioritize(names, answer);
        }
        return answer.getClearAndRelease();
    }

    private static List<String> names(byte[] question) throws IOException {
        var names = new ArrayList<String>();
        try (var parser = JSON.createParser(question)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean wanted = "NodeNames".equals(parser.currentName());
                if (parser.nextToken() == JsonToken.START_ARRAY && wanted) {
                    while (parser.nextToken() == JsonToken.VALUE_STRING) {
                        names.add(parser.getText());
                    }
                } else {
                    parser.skipChildren();
                }
            }
        }
        return names;
    }

    private static void filter(List<String> names, ByteArrayBuilder answer) throws IOException {
        try (var json = JSON.createGenerator(answer)) {
            json.writeStartObject();
            json.writeNullField("Nodes");
            json.writeArrayFieldStart("NodeNames");
            for (var name : names) {
                json.writeString(name);
            }
            json.writeEndArray();
            json.writeObjectFieldStart("FailedNodes");
            json.writeEndObject();
            json.writeObjectFieldStart("FailedAndUnresolvableNodes");
            json.writeEndObject();
            json.writeStringField("Error", "");
            json.writeEndObject();
        }
    }

    private static void prioritize(List<String> names, ByteArrayBuilder answer) throws IOException {
        try (var json = JSON.createGenerator(answer)) {
            json.writeStartArray();
            for (var name : names) {
                json.writeStartObject();
                json.writeStringField("Host", name);
                json.writeNumberField("Score", 0);
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }
}
