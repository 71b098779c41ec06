package dev.trainyard.bench.scoring;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.trainyard.bench.process.BenchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The scheduler's side of the extender's wire format: {@code k8s.io/kube-scheduler/extender/v1} with {@code nodeCacheCapable: true}.
 * Machines are identified by their index in the list of names. Not thread-safe.
 */
final class SchedulerWire {

    private static final JsonFactory JSON = new JsonFactory();

    private final String[] quotedNames;
    private final Map<String, Integer> places = new HashMap<>();
    private final boolean[] asked;

    SchedulerWire(List<String> names) {
        quotedNames = names.stream().map(SchedulerWire::quoted).toArray(String[]::new);
        for (int place = 0; place < quotedNames.length; place++) {
            places.put(names.get(place), place);
        }
        asked = new boolean[quotedNames.length];
    }

    /** Returns the request about these machines, which is the same for both verbs. */
    byte[] question(String podJson, int[] machines, int count) {
        var text = new StringBuilder(podJson.length() + 32 * count + 64);
        text.append("{\"Pod\":").append(podJson).append(",\"Nodes\":null,\"NodeNames\":[");
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : ",").append(quotedNames[machines[i]]);
        }
        return text.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Writes the machines that the answer to {@code filter} lets pass to the start of the array {@code machines}.
     *
     * @return the number of these machines
     * @throws BenchException if kube-scheduler would treat the answer as an error
     */
    int passed(byte[] answer, int[] machines, int count) {
        Arrays.fill(asked, false);
        for (int i = 0; i < count; i++) {
            asked[machines[i]] = true;
        }
        int left = 0;
        try (var json = JSON.createParser(answer)) {
            expect(json.nextToken(), JsonToken.START_OBJECT, "filter", answer);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                var field = json.currentName();
                json.nextToken();
                if (field.equals("NodeNames") && json.currentToken() == JsonToken.START_ARRAY) {
                    left = names(json, machines, count);
                } else if (field.equals("Error") && !json.getValueAsString("").isEmpty()) {
                    throw new BenchException("filter answered with an error: " + json.getText());
                } else {
                    json.skipChildren();
                }
            }
            return left;
        } catch (IOException e) {
            throw new UncheckedIOException("the answer to filter is not valid JSON", e);
        }
    }

    /** Reads the scores in the answer to {@code prioritize}, by machine index. A machine without a score gets 0. */
    void scores(byte[] answer, int[] scores) {
        Arrays.fill(scores, 0);
        try (var json = JSON.createParser(answer)) {
            expect(json.nextToken(), JsonToken.START_ARRAY, "prioritize", answer);
            while (json.nextToken() == JsonToken.START_OBJECT) {
                String host = "";
                int score = 0;
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    var field = json.currentName();
                    json.nextToken();
                    if (field.equals("Host")) {
                        host = json.getText();
                    } else if (field.equals("Score")) {
                        expect(json.currentToken(), JsonToken.VALUE_NUMBER_INT, "prioritize", answer);
                        score = json.getIntValue();
                    }
                }
                var place = places.get(host);
                if (place != null) {
                    scores[place] = score;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the answer to prioritize is not valid JSON", e);
        }
    }

    private int names(JsonParser json, int[] machines, int count) throws IOException {
        int left = 0;
        while (json.nextToken() == JsonToken.VALUE_STRING) {
            var place = places.get(json.getText());
            if (place == null || !asked[place] || left >= count) {
                throw new BenchException(
                        "filter answered with node '%s', which it was not asked about".formatted(json.getText()));
            }
            machines[left++] = place;
        }
        return left;
    }

    private static void expect(JsonToken token, JsonToken expected, String verb, byte[] answer) {
        if (token != expected) {
            var start = new String(answer, 0, Math.min(answer.length, 200), StandardCharsets.UTF_8);
            throw new BenchException(
                    "%s answered with something that kube-scheduler cannot read: %s".formatted(verb, start));
        }
    }

    private static String quoted(String name) {
        return '"'
                + new String(com.fasterxml.jackson.core.io.JsonStringEncoder.getInstance()
                        .quoteAsString(name))
                + '"';
    }
}
