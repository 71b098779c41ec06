package dev.trainyard.bench.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.bench.process.BenchException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A check of an extender's answers. Without this check, an extender with empty answers, or one that refuses every node, would count as
 * fast.
 */
final class AnswerCheck {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SHOWN = 200;
    private static final int BEST = 10;

    private final String server;
    private final boolean echoes;

    private AnswerCheck(String server, boolean echoes) {
        this.server = server;
        this.echoes = echoes;
    }

    /**
     * Returns a check that expects refusals for nodes being removed, a pass for all others, and scores from 0 to 10 that are not all equal.
     * The chosen node must be one that passes.
     */
    static AnswerCheck ofExtender() {
        return new AnswerCheck("extender", false);
    }

    /**
     * Returns a check of the floor, the minimal extender for comparison. The check expects the first node to be chosen, and all nodes to pass
     * with any score from 0 to 10.
     */
    static AnswerCheck ofFloor() {
        return new AnswerCheck("floor", true);
    }

    /** Returns a check of the Go peer, which must give the answers of the floor. */
    static AnswerCheck ofGo() {
        return new AnswerCheck("Go peer", true);
    }

    /** @throws BenchException if the answer is wrong; the message says why */
    void check(ExtenderRequests question, Verb verb, byte[] answer) {
        try {
            var json = JSON.readTree(answer);
            switch (verb) {
                case CHOOSE -> choose(question, json);
                case FILTER -> filter(question, json);
                case PRIORITIZE -> prioritize(question, json);
            }
        } catch (IOException | Wrong e) {
            var text = new String(answer, StandardCharsets.UTF_8);
            throw new BenchException(
                    "the %s answers %s of pod %s wrongly: %s; the answer begins: %s"
                            .formatted(
                                    server,
                                    verb.word(),
                                    question.pod(),
                                    e.getMessage(),
                                    text.substring(0, Math.min(SHOWN, text.length()))),
                    e);
        }
    }

    private static final class Wrong extends Exception {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }

    private void choose(ExtenderRequests question, JsonNode answer) throws Wrong {
        if (!echoes && question.left().isEmpty()) {
            filter(question, answer); // without a node to choose, the extender answers as for filter
            return;
        }
        expectNoError(answer);
        var possible = echoes ? question.names().subList(0, 1) : question.left();
        var chosen = texts(answer.path("NodeNames"));
        if (chosen.size() != 1 || !possible.contains(chosen.get(0))) {
            throw new Wrong("NodeNames lists %d nodes; expected exactly one, from the %d possible nodes"
                    .formatted(chosen.size(), possible.size()));
        }
        expect("nodes are refused", Set.of(), failed(answer));
    }

    private void filter(ExtenderRequests question, JsonNode answer) throws Wrong {
        expectNoError(answer);
        expect("nodes pass", echoes ? question.names() : question.left(), texts(answer.path("NodeNames")));
        var refused = new HashSet<>(question.names());
        question.left().forEach(refused::remove);
        expect("nodes are refused", echoes ? Set.of() : refused, failed(answer));
    }

    private void prioritize(ExtenderRequests question, JsonNode answer) throws Wrong {
        expect("nodes have a score", question.left(), texts(answer, "Host"));
        var scores = stream(answer).map(host -> host.path("Score")).toList();
        if (!scores.stream().allMatch(score -> score.isInt() && score.asInt() >= 0 && score.asInt() <= BEST)) {
            throw new Wrong("the Score of a node is not a whole number from 0 to 10");
        }
        if (!echoes && scores.size() > 1 && Set.copyOf(scores).size() == 1) {
            throw new Wrong("all nodes have the same Score; expected different scores");
        }
    }

    private static void expectNoError(JsonNode answer) throws Wrong {
        if (!answer.path("Error").asText().isEmpty()) {
            throw new Wrong("the field Error is set; expected no error");
        }
    }

    private static Set<String> failed(JsonNode answer) {
        var failed = new HashSet<String>();
        answer.path("FailedNodes").fieldNames().forEachRemaining(failed::add);
        answer.path("FailedAndUnresolvableNodes").fieldNames().forEachRemaining(failed::add);
        return failed;
    }

    private static void expect(String what, Collection<String> expected, Collection<String> found) throws Wrong {
        if (found.size() != expected.size() || !new HashSet<>(found).equals(new HashSet<>(expected))) {
            throw new Wrong("%d %s; the expected set of nodes is different and has %d nodes"
                    .formatted(found.size(), what, expected.size()));
        }
    }

    private static List<String> texts(JsonNode array) {
        return stream(array).map(JsonNode::asText).toList();
    }

    private static List<String> texts(JsonNode array, String member) {
        return stream(array).map(element -> element.path(member).asText()).toList();
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }
}
