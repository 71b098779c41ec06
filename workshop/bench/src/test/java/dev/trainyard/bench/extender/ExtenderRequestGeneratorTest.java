package dev.trainyard.bench.extender;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.bench.load.Call;
import dev.trainyard.bench.load.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExtenderRequestGeneratorTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final GeneratedCluster FLEET = new GeneratedCluster(1000, 3);

    private final List<ExtenderRequests> questions = ExtenderRequestGenerator.of(FLEET, 1000, 6, 3);

    @Test
    void lookLikeThoseOfTheScheduler() throws IOException {
        var text = new String(questions.get(0).filter(), StandardCharsets.UTF_8);
        var json = JSON.readTree(text);

        assertThat(json.fieldNames()).toIterable().containsExactly("Pod", "Nodes", "NodeNames");
        assertThat(json.get("Nodes").isNull()).isTrue();
        assertThat(json.get("Pod").fieldNames()).toIterable().containsExactly("metadata", "spec", "status");
        assertThat(json.at("/Pod/metadata").has("managedFields")).isFalse();
        assertThat(json.toString().equals(text))
                .as("no spaces, as Go writes it")
                .isTrue();
        assertThat(json.get("Pod").toString().length()).isBetween(3000, 4500);
        assertThat(text.length()).isBetween(36_000, 41_000); // the scheduler's request has 38 kB for 1,000 names
    }

    @Test
    void eachIsAboutAnotherPodAndHasTheNamesInAnotherOrder() throws IOException {
        var identities = new HashSet<String>();
        var shapes = new HashSet<JsonNode>();
        var orders = new HashSet<List<String>>();
        for (var question : questions) {
            var pod = JSON.readTree(question.filter()).get("Pod");
            identities.add(pod.at("/metadata/uid").asText());
            identities.add(pod.at("/metadata/name").asText());
            identities.add(pod.at("/metadata/resourceVersion").asText());
            shapes.add(pod.at("/spec/containers/0/resources"));
            orders.add(question.names());
        }
        assertThat(identities).hasSize(3 * questions.size());
        assertThat(shapes).hasSize(5);
        assertThat(orders).hasSize(questions.size());
    }

    @Test
    void prioritizeIsAboutTheNamesThatTheFilterLeavesInTheSameOrder() throws IOException {
        var question = questions.get(1);
        var names = new ArrayList<String>();
        JSON.readTree(question.prioritize()).get("NodeNames").forEach(name -> names.add(name.asText()));

        assertThat(names)
                .isEqualTo(question.left())
                .hasSize(990)
                .noneMatch(FLEET::isRemoving)
                .isSubsetOf(question.names());
        assertThat(question.names()).containsSubsequence(names);
        assertThat(JSON.readTree(question.prioritize()).get("Pod"))
                .isEqualTo(JSON.readTree(question.filter()).get("Pod"));
    }

    @Test
    void areTheSameForTheSameSeed() {
        var again = ExtenderRequestGenerator.of(new GeneratedCluster(1000, 3), 1000, 6, 3);

        for (int i = 0; i < questions.size(); i++) {
            assertThat(again.get(i).filter()).isEqualTo(questions.get(i).filter());
        }
    }

    @Test
    void areSentVerbByVerb() {
        var calls = ExtenderRequestGenerator.series(
                questions, List.of(Verb.FILTER, Verb.PRIORITIZE), new Target(8444, "", null));

        assertThat(calls).hasSize(12).extracting(Call::kind).startsWith("filter", "prioritize", "filter");
        assertThat(new String(calls.get(1).request(), StandardCharsets.UTF_8))
                .startsWith("POST /prioritize HTTP/1.1\r\nHost: localhost:8444\r\n")
                .endsWith("\r\n\r\n" + new String(questions.get(0).prioritize(), StandardCharsets.UTF_8));
    }

    @Test
    void chooseIsSentOnceForEachPodWithTheBodyOfFilter() {
        var calls = ExtenderRequestGenerator.series(questions, List.of(Verb.CHOOSE), new Target(8444, "", null));

        assertThat(calls).hasSize(6).extracting(Call::kind).containsOnly("choose");
        assertThat(new String(calls.get(1).request(), StandardCharsets.UTF_8))
                .startsWith("POST /choose HTTP/1.1\r\nHost: localhost:8444\r\n")
                .endsWith("\r\n\r\n" + new String(questions.get(1).filter(), StandardCharsets.UTF_8));
    }
}
